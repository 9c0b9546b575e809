"""What an agent that curates is told by rule: no model is asked, and the same vault gives the same answer.

questions    what is missing of the ways in which a person may later ask
"""
