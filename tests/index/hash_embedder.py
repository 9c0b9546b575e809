"""A model without meaning for tests: texts that share words are near, instantly and everywhere the same."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

__all__ = ["HashEmbedder"]


class HashEmbedder:
    """Bag of hashed words in ``dimension`` buckets; never zero, so that even no text has a direction."""

    def __init__(self, name: str = "hash", dimension: int = 64) -> None:
        self.name = name
        self.dimension = dimension
        self.embedded: list[str] = []
        """Every passage that was embedded, so that a test sees what was not embedded twice."""

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        return self._vectors([text])[0]

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of passages."""
        self.embedded.extend(texts)
        return self._vectors(texts)

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.full((len(texts), self.dimension), 0.01, dtype=np.float32)
        for at, text in enumerate(texts):
            for word in text.casefold().split():
                digest = blake2b(f"{self.name} {word}".encode("utf-8", "replace"), digest_size=8).digest()
                found[at, int.from_bytes(digest, "big") % self.dimension] += 1
        return found / np.linalg.norm(found, axis=1, keepdims=True)
