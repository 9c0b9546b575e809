"""Results as a person reads them in a terminal: one function per kind of result, dict in, text out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wwt_vault.cli import render_sync
from wwt_vault.fence import clean
from wwt_vault.wording import counted, minute

__all__ = [
    "bench",
    "context",
    "demo",
    "doctor",
    "events",
    "evidence",
    "forgotten",
    "index",
    "ingest",
    "init",
    "marked",
    "observed",
    "project",
    "projects",
    "queue",
    "retried",
    "search",
    "setup",
    "status",
    "tokens",
    "uncurated",
    "verify",
]

Json = Mapping[str, Any]

_EXCERPT = 320
"""Characters shown of a hit."""


def search(found: Json) -> str:
    """Hits, best first."""
    lines: list[str] = []
    for number, hit in enumerate(found["hits"], 1):
        status = f" ({hit['status']})" if hit["status"] and hit["status"] != "current" else ""
        lines.append(f"{number}. {hit['path']}:{hit['line']}{status}")
        facts = [hit["heading"], minute(hit["time"]), hit["host"], hit["project"], f"{hit['score']:.2f}", hit["why"]]
        lines.append("   " + " · ".join(str(fact) for fact in facts if fact))
        text = " ".join(hit["text"].split())
        lines += ["   " + (text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"), ""]
    if not found["found"]:
        lines.append("No record found. What stands above only comes nearest." if found["hits"] else "No record found.")
    return "\n".join([*lines, *(f"({note})" for note in found["notes"])])


def context(found: Json) -> str:
    """What an agent is given, as it is given."""
    used = f"({found['used_tokens']} of {found['budget_tokens']} tokens)"
    return "\n".join([found["text"], used, *(f"({note})" for note in found["notes"])])


def events(found: Json) -> str:
    """Messages word for word."""
    lines: list[str] = []
    for event in found["events"]:
        lines += [f"{event['id']} · {event['role']} · {minute(event['time'])} · {event['path']}", event["text"], ""]
    lines += [f"Not in the vault: {name}" for name in found["missing"]]
    return "\n".join(lines)


def uncurated(found: Json) -> str:
    """Sessions that wait, oldest first, each with what ``wwt mark-curated`` asks for."""
    if not found["total_sessions"]:
        return "Nothing waits to be curated."
    lines = [f"{counted(found['total_sessions'], 'session')}, {counted(found['total_messages'], 'message')}:"]
    for entry in found["sessions"]:
        lines.append(f"  {minute(entry['started'])}  {entry['messages']:>4} of {entry['of']:<4} {entry['path']}")
        lines.append(f"  {'':16}  {entry['host']} {entry['session_id']}")
    if more := found["total_sessions"] - len(found["sessions"]):
        lines.append(f"  … and {more} more: `wwt uncurated --limit {found['total_sessions']}`")
    return "\n".join(lines)


def observed(found: Json) -> str:
    """What was kept of a turn, and what of it may be worth a note."""
    lines = [f"Kept {counted(len(found['added']), 'message')}, known already {found['known']}."]
    for one in found["candidates"]:
        lines.append(f"  {one['kind']:<10}  {one['text']}  [{one['event']}]")
        lines += [f"{'':14}{near['kind']}: {near['path']}" for near in (*one["contradictions"], *one["similar"])]
    return "\n".join(lines)


def marked(found: Json) -> str:
    """What a session is curated up to, and what would make it easier to find."""
    lines = [f"{found['host']} {found['session_id']} is curated up to {found['upto']}."]
    return "\n".join([*lines, *(f"  wanted: {what}" for what in found["wanted"])])


def forgotten(found: Json) -> str:
    """What was forgotten, what rests on nothing now, and where the words may still be."""
    if not found["events"]:
        lines = ["All of it was forgotten before; the index was built anew."]
    else:
        messages, files = (counted(len(found[key]), noun) for key, noun in (("events", "message"), ("files", "file")))
        lines = [f"Forgot {messages}, and their words in {files}."]
    if found["waiting"]:
        lines.append(f"{counted(found['waiting'], 'capture')} that waited went too.")
    lines += [
        f"rests on nothing now: {claim['path']}:{claim['line']}: {claim['text']}" for claim in found["unsupported"]
    ]
    lines += [f"the same words, not forgotten: event {event}" for event in found["also_said"]]
    lines += [f"the words are still in a file of yours: {path}" for path in found["left"]]
    lines += ["", "The words may still be:"]
    lines += [f"- in the host's own transcript; delete it there: {path}" for path in found["transcripts"]]
    if found["git"]:
        lines += ["- in the git history of the vault. These commands take them out:", *found["git"]]
    lines += [
        "- in backups and synced copies of the vault, in files such as:",
        *(f"    {path}" for path in found["files"][:5]),
        f"  In a copy that is a vault: wwt forget --yes --vault COPY {' '.join(found['events'][:5]) or 'EVENT…'}",
        "- in Obsidian's own snapshots: Settings, Core plugins, File recovery, Clear.",
    ]
    return "\n".join(lines)


def index(found: Json) -> str:
    """The index in four lines."""
    held = f"{counted(found['documents'], 'document')}, {counted(found['passages'], 'passage')}"
    fresh = "up to date" if found["fresh"] else "behind the vault: `wwt index refresh`"
    lines = [
        f"{held}, {found['embedded']} of them with meaning",
        f"model {found['model'] or 'none: search goes by words'} · generation {found['generation']} · {fresh}",
    ]
    if any(found.get(key) for key in ("added", "updated", "removed")):
        lines.append(f"added {found['added']}, updated {found['updated']}, removed {found['removed']}")
    return "\n".join([*lines, *(f"! {problem}" for problem in found["problems"])])


def queue(found: Json) -> str:
    """Waiting captures with their reason."""
    if not found["items"]:
        return "Nothing waits."
    lines = []
    for item in found["items"]:
        state = "set apart" if item["quarantined"] else f"tried {item['attempts']} times"
        place = f" for {item['vault']}" if item["vault"] else ""
        lines.append(f"{minute(item['time']) or '?'}  {item['host'] or '?'}{place}  {state}: {item['reason'] or 'new'}")
    return "\n".join(lines)


def retried(found: Json) -> str:
    """What became of waiting captures, and where the rest is named."""
    text = "Recorded {done}, waiting {waiting}, failed {failed}".format(**found)
    text += f", {found['elsewhere']} meant for another vault" if found["elsewhere"] else ""
    return f"{text}: `wwt queue` says why." if found["waiting"] or found["failed"] else f"{text}."


def status(found: Json) -> str:
    """Vault, index, queue, and what is to be done."""
    waiting, captures = found["uncurated"], found["queue"]
    lines = [
        f"Vault    {found['vault']}",
        f"Events   {found['events']} in {counted(found['sessions'], 'session')}",
        f"Notes    {counted(found['notes'], 'curated note')}",
        f"Index    {index(found['index'])}".replace("\n", "\n         "),
        f"Queue    {captures['waiting']} waiting, {captures['failed']} failed",
        f"Curation {counted(waiting['sessions'], 'session')}, {counted(waiting['messages'], 'message')} waiting",
        f"Evidence {_owed(found['debt'])}",
        f"Sync     {render_sync.last(found['sync'])}",
    ]
    lines += render_sync.machines(found["sync"])
    lines += [f"Conflict {entry['path']}" for entry in found["conflicts"]]
    return "\n".join([*lines, *(f"!        {problem}" for problem in found["problems"])])


def _owed(debt: Json) -> str:
    looked = f" ({debt['checked']} of {debt['of']} looked at)" if debt["checked"] < debt["of"] else ""
    lines = [f"{counted(debt['notes'], 'note')} with newer words on the subject{looked}"]
    return "\n         ".join([*lines, *(f"{one['events']:>4} {one['path']}" for one in debt["worst"])])


def verify(found: Json) -> str:
    """What was checked and what is wrong."""
    checked = (counted(found[f"{noun}s"], noun) for noun in ("event", "note", "citation"))
    lines = [f"{', '.join(checked)} checked."]
    lines += [f"{_place(problem)}: {problem['code']}: {problem['message']}" for problem in found["problems"]]
    return "\n".join(lines if found["problems"] else [*lines, "All of it holds."])


def bench(found: Json) -> str:
    """Tables of recall by kind and by weight, and what follows from them."""
    lines = [f"{found['questions']} of your prompts asked; each is taken out of the copy that is searched.", ""]
    lines.append(f"{'question → answer':20} {'n':>4}  first five    MRR")
    lines += [
        f"{row['kind']:20} {row['questions']:>4}  {row['recall']:>10.0%}  {row['mrr']:.3f}" for row in found["kinds"]
    ]
    lines += ["", f"{'meaning_weight':20} {'':>4}  first five    MRR"]
    for row in found["weights"]:
        name = f"{row['weight']:g}" + (" (yours)" if row["weight"] == found["current"] else "")
        lines.append(f"{name:20} {'':>4}  {row['recall']:>10.0%}  {row['mrr']:.3f}")
    without = f"{found['found_without_answer']} of {found['without_answer']} prompts whose session was left out"
    lines += ["", f"Something was found for {without}; nothing for {found['missed']} of the others.", ""]
    if not found["has_meaning"]:
        lines.append("There is no embedding model: the weight changes nothing.")
    if found["is_better"]:
        interval = f"by {found['gain']:.3f} [{found['low']:.3f}, {found['high']:.3f}] in MRR on the half not chosen by"
        lines.append(f"{found['best']:g} is better, {interval}.")
        lines.append("Written." if found["applied"] else "wwt bench --apply writes it into .wwt/config.toml.")
    else:
        lines.append(f"No weight is better than {found['current']:g} by more than chance. Nothing was written.")
    return "\n".join(lines)


def evidence(found: Json) -> str:
    """Each claim, the events that it cites, and what was said there."""
    lines = [f"{found['path']}  revision {found['revision'][:12]}"]
    for claim in found["claims"]:
        lines += ["", *clean(claim["text"]).splitlines()]
        lines[-1] += f"  (line {claim['line']})"
        for said in claim["said"]:
            facts = [said["event"], said["role"], said["host"], minute(said["time"]), said["problem"]]
            lines.append("  " + " · ".join(fact for fact in facts if fact))
            lines += [f"  | {line}".rstrip() for line in clean(said["text"] or "").splitlines()]
        for source in claim["sources"]:
            checked = " ".join(filter(None, (source["verification"], source["verified_by"], source["verified_at"])))
            facts = [f"source {source['title']}", source["origin"], minute(source["retrieved"])[:10], checked]
            lines.append("  " + " · ".join(fact for fact in facts if fact))
        if not claim["supported"]:
            lines.append("  ! nothing supports this")
    return "\n".join([*lines, "", verify(found)])


_STATES = {"added": "missing", "updated": "outdated"}
"""What it means for now that setup would do this."""


def doctor(found: Json) -> str:
    """Each host in a line, then what is wrong and what was mended."""
    lines = [f"Vault {found['vault'] or 'none that can be opened'}"]
    for host in found["hosts"]:
        hooks, server = (_STATES.get(host[part], host[part]) for part in ("hooks", "mcp"))
        facts = [f"hooks {hooks}" if hooks else "no hooks", *_ran("run", host["hook_runs"])]
        facts += [f"MCP server {server}", *_ran("answers", host["mcp_answers"])]
        lines.append(f"{host['host']}: {', '.join(facts)}; last message {minute(host['last_event']) or 'never'}")
    lines += [f"mended: {_place(fault)}: {fault['kind']}" for fault in found["mended"]]
    lines += [f"could not be mended: {sentence}" for sentence in found["failures"]]
    for fault in found["findings"]:
        place = f"{_place(fault)}: " if fault["path"] else ""
        lines.append(f"{place}{fault['kind']}: {fault['message']}" + (" (--fix mends it)" if fault["mendable"] else ""))
    return "\n".join(lines if found["findings"] else [*lines, "Nothing is wrong."])


def _ran(verb: str, ran: bool | None) -> list[str]:
    return [] if ran is None else [verb if ran else f"FAILS to {verb.removesuffix('s')}"]


def init(found: Json) -> str:
    """Where the vault lies and what to do next."""
    done = "Made a vault at" if found["created"] else "There is a vault at"
    lines = [f"{done} {found['vault']}"]
    if found["moved"]:
        lines.append(f"Moved {counted(found['moved'], 'message')} to {found['events_folder']}.")
    lines.append("Next: `wwt setup` connects your agents and imports what they still have.")
    return "\n".join(lines)


_PLANNED = {"added": "to be added", "updated": "to be updated", "removed": "to be removed"}


def setup(found: Json) -> str:
    """What was connected and what is left for the person; of a dry run, what would be."""
    dry = found["dry_run"]
    made = (" (would be made)" if dry else ", made now") if found["created"] else ""
    lines = [f"Vault {found['vault']}{made}"]
    for entry in found["hosts"]:
        count = entry["transcripts" if dry else "imported"]
        taken = f", {count} {'transcripts to import' if dry else 'messages imported'}" if count else ""
        done = {
            part: _PLANNED.get(entry[part], entry[part]) if dry else entry[part] for part in ("hooks", "mcp", "rule")
        }
        hooks = f"hooks {done['hooks']}, " if entry["hooks"] else ""
        rule = "" if entry["rule"] in (None, "absent") else f", rule {done['rule']}"
        lines.append(f"{entry['host']}: {hooks}MCP {done['mcp']}{rule}{taken}")
        lines += [f"  to do: {step}" for step in entry["todo"]]
        lines += [f"  refused: {error['message']}" for error in entry["refused"]]
    if not found["hosts"]:
        lines.append("None of the hosts known here is installed.")
    lines += [f"Nothing is captured in {folder}" for folder in found["excluded"]]
    if dry:
        lines.append("Nothing was changed (--dry-run).")
    return str(found["diff"]) + "\n".join(lines)


def demo(found: Json) -> str:
    """Where to go from here."""
    return "\n".join(
        [
            "",
            f"Open {found['vault']} in Obsidian, or read it with any editor: everything above lies there as text.",
            "Next: `wwt setup` connects your own agents and imports the conversations they still have.",
        ]
    )


def ingest(found: Json) -> str:
    """What was imported and what was not."""
    added, known, sessions = found["events_added"], found["events_known"], len(found["sessions"])
    lines = [f"{counted(added, 'new message')}, {known} known already, {counted(sessions, 'session')}."]
    lines += [f"{path}: a document of the export, unverified" for path in found["sources"]]
    lines += [f"left out, for it is excluded: {folder}" for folder in found["excluded"]]
    for part in found["skipped"]:
        lines.append(f"skipped {_place(part)}: {part['reason'].removeprefix(part['path']).strip()}")
    return "\n".join(lines)


def _place(part: Json) -> str:
    """Return path and line as an editor or a terminal opens them; 0 is the file as a whole."""
    return f"{part['path']}:{part['line']}" if part["line"] else str(part["path"])


def tokens(found: Json) -> str:
    """The tokens of a vault."""
    lines = [f"{entry['name']}  {entry['scope']}  {minute(entry['created'])}" for entry in found["tokens"]]
    return "\n".join(lines) or "No tokens."


def projects(found: Json) -> str:
    """Projects, the one spoken of last first."""
    lines = []
    for row in found["projects"]:
        facts = [counted(row[f"{kind}s"], kind) for kind in ("session", "message", "note")]
        also = f"also {', '.join(row['names'])}" if row["names"] else ""
        lines.append(" · ".join(part for part in (row["project"], *facts, minute(row["last"]), also) if part))
    return "\n".join(lines) or "No projects yet."


def project(found: Json) -> str:
    """A project under its new name."""
    return f"{found['project']} is also found as {', '.join(found['names'])}."
