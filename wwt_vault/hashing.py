"""SHA-256 without OpenSSL: loading that costs every hook three milliseconds, and a prompt is soon hashed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # Python 3.12 and newer
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:  # another implementation of Python
            from hashlib import sha256

__all__ = ["sha256"]
