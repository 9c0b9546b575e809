"""The values that the parts of the program hand to one another: one word per idea, frozen, no behaviour beyond parsing.

``conversation`` holds what hosts say and what is stored of it (a hook imports this much), ``knowledge`` what the index,
search and context make of it.
"""
