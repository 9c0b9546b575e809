"""The one path by which messages become events: hooks, imports and agents that hand over a conversation all come here.

``recorder`` recognises messages and writes the new ones, ``transcripts`` reads hosts' files on from where it stopped,
``live`` handles one call of a hook, ``queue`` keeps what could not be recorded, ``brief`` says what a new session is
told. Standard library only: a hook imports this.
"""
