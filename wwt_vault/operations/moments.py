"""Dates and times of the person's, in and out: read in their zone, shown in their zone."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta, tzinfo
from typing import Final

from wwt_vault.errors import BadArgument
from wwt_vault.model.conversation import parse_time

__all__ = ["moment", "shown"]

_DATE_ONLY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def moment(text: str, zone: tzinfo, name: str, *, whole_day: bool = False) -> datetime:
    """Read a date or time of the person's. A date is the beginning of its day there, or the end with ``whole_day``.

    Raises ``BadArgument`` that calls the argument ``name``.
    """
    try:
        found = datetime.fromisoformat(text.strip())
        if _DATE_ONLY.fullmatch(text.strip()) and whole_day:
            found = datetime.combine(found.date() + timedelta(days=1), time())
        return parse_time(found.isoformat(), zone)
    except (ValueError, OverflowError) as error:
        message = f"{name} wants a date or time such as 2026-11-30 or 2026-11-30T09:00, not {text!r}"
        raise BadArgument(message, argument=name) from error


def shown(found: datetime | None, zone: tzinfo) -> str | None:
    """Return a time as people read it: ISO 8601 in their zone, to the second."""
    return found.astimezone(zone).isoformat(timespec="seconds") if found else None
