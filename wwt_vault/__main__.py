"""``python -m wwt_vault`` is ``wwt``."""

from __future__ import annotations

from wwt_vault.cli import main

if __name__ == "__main__":
    main()
