"""Everything a user can ask for, one function per verb: ``(workspace, arguments) -> JSON``. Both faces call only these.

``workspace`` opens what they work on; ``recall`` searches and builds contexts; ``conversations`` takes in, reads and
marks what was said; ``notes`` reads and saves curated notes, ``evidence`` leads to their words; ``forgetting`` takes
words out; ``upkeep`` looks after index, queue and vault; ``beginnings`` makes vaults and connects hosts. Results are
dicts that ``json.dumps`` takes, with the fields of ``docs/cli.md``; failures are the exceptions of ``errors``.
"""
