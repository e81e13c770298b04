"""Patterns of strings that schemas of users have most often, each in an object of its own.

The object may have other members, as objects have unless a schema says otherwise. So anything may
come after the string, which engines must not look for within it.
"""

from __future__ import annotations

GROUP = "patterns"

# Name, pattern, two texts that match it, and one that does not.
PATTERNS: list[tuple[str, str, str, str, str]] = [
    ("label", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "example-function", "x1", "-x"),
    ("identifier", "^[A-Za-z_$][A-Za-z0-9_$]*$", "totalAmount", "_x9", "9x"),
    ("constant", "^[A-Z0-9_]+$", "MAX_RETRIES_2", "OK", "ok"),
    ("slug", "^[a-z0-9]+(?:-[a-z0-9]+)*$", "my-great-post-2024", "post", "post-"),
    ("mail", r"^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$",
     "john.doe@example.com", "j@a.io", "j"),
    ("mail_loose", r"^[^\s@]+@[^\s@]+\.[^\s@]+$", "john.doe@example.com", "j@a.io", "j@a"),
    ("mail_looser", r"^\S+@\S+$", "john.doe@example.com", "j@a", "j a"),
    ("url", r"^https?://[^\s/$.?#].[^\s]*$", "https://example.com/path?x=1", "http://a.b", "https://.x"),
    ("url_begun", "^https?://", "https://example.com/path?x=1", "http://a", "ftp://a"),
    ("host", r"^([a-z0-9]|[a-z0-9][a-z0-9-]*[a-z0-9])(\.([a-z0-9]|[a-z0-9][a-z0-9-]*[a-z0-9]))*$",
     "www.example-site.com", "localhost", "a-.b"),
    ("path", r"^/([^/\s]+/)*[^/\s]*$", "/usr/local/share/doc", "/", "usr"),
    ("file", r"^[\w.-]+$", "report_2024-01.pdf", "a", "a b"),
    ("owner", "^[^/]+/[^/]+$", "example-owner/example-name", "a/b", "a"),
    ("uuid", "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
     "123e4567-e89b-12d3-a456-426655440000", "00000000-0000-0000-0000-000000000000", "123"),
    ("version", r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?$",
     "1.12.3-beta.1", "0.1.0", "1.2"),
    ("time",
     (r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
     r"T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d{2}:\d{2})$"),
     "2022-01-01T10:00:00.12Z", "1999-12-31T23:59:59+01:00", "2022-13-01T10:00:00Z"),
    ("address", r"^((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)$",
     "192.168.10.1", "8.8.8.8", "256.1.1.1"),
    ("phone", r"^\+?[1-9]\d{1,14}$", "+14155552671", "12", "+0"),
    ("color", "^#([A-Fa-f0-9]{6}|[A-Fa-f0-9]{3})$", "#ff00aa", "#0Fa", "#ff"),
    ("amount", r"^-?\d+(\.\d{1,2})?$", "-1234.56", "7", "1.234"),
    ("names", "^[A-Z][a-z]+( [A-Z][a-z]+)*$", "John Ronald Smith", "Ada", "john"),
    ("trimmed", r"^\S(.*\S)?$", "A sentence, without blanks around it.", "x", " x"),
    ("not_blank", r"^(?!\s*$).+", "Some text of several words", "x", "  "),
    ("words", r"^(\w+\s){2,5}\w+$", "one two three four", "a b c", "one"),
    ("base64", "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
     "SGVsbG8gd29ybGQ=", "", "SGV"),
    ("duration", "^([0-9]+(ms|s|m|h|d|w|y))+$", "1h30m", "15s", "h"),
    ("password", r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{8,}$", "Passw0rdXyz", "aB345678", "password"),
]  # fmt: skip


def schema(pattern: str) -> dict[str, object]:
    """Return that of an object with a string that must come, before anything else."""
    value = {"type": "string", "pattern": pattern}
    return {"type": "object", "properties": {"value": value}, "required": ["value"]}
