"""Which texts a structural tag allows, by following the text, written without the engine.

``spans`` returns every place where a format, and one of the strings that follow it, may end. Free
text is scanned character by character for the first string that is complete.
"""

from __future__ import annotations

import re


def first_complete(text, start, strings):
    """Where the first of the strings is complete, and which; the longest of several at once."""
    for end in range(start + 1, len(text) + 1):
        found = [each for each in strings if len(each) <= end - start and text[:end].endswith(each)]
        if found:
            return end, max(found, key=len)
    return None, None


def free(text, start, ends, stops):
    """Where free text ends, with the string that ends it."""
    place, found = first_complete(text, start, [*ends, *stops])
    if not ends:
        limit = len(text) if place is None else place - 1
        return set(range(start, limit + 1))
    return {place} if found in ends else set()


def after(text, places, ends):
    """Places behind one of the strings."""
    if not ends:
        return set(places)
    return {p + len(e) for p in places for e in ends if text.startswith(e, p)}


def spans(form, text, start, ends=()):
    """All places where the format and one of ``ends`` may end."""
    kind = form["type"]
    return globals()[f"spans_{kind}"](form, text, start, tuple(ends))


def accepts(form, text):
    return len(text) in spans(form, text, 0)


def spans_const_string(form, text, start, ends):
    value = form["value"]
    return after(text, [start + len(value)] if text.startswith(value, start) else [], ends)


def spans_regex(form, text, start, ends):
    places = [
        end for end in range(start, len(text) + 1) if re.fullmatch(form["pattern"], text[start:end])
    ]
    return after(text, places, ends)


def spans_any_text(form, text, start, ends):
    found = free(text, start, ends, form.get("excludes", []))
    longest = form.get("max_chars")
    if longest is None:
        return found
    if not ends:
        return {place for place in found if place - start <= longest}
    return {
        place
        for place in found
        if any(
            text[:place].endswith(end) and place - len(end) - start <= longest
            for end in [first_complete(text, start, [*ends, *form.get("excludes", [])])[1]]
        )
    }


def spans_sequence(form, text, start, ends):
    places, elements = {start}, form["elements"]
    if not elements:
        return after(text, places, ends)
    for index, element in enumerate(elements):
        following = ends if index + 1 == len(elements) else ()
        places = {end for place in places for end in spans(element, text, place, following)}
    return places


def spans_or(form, text, start, ends):
    return {end for element in form["elements"] for end in spans(element, text, start, ends)}


def spans_optional(form, text, start, ends):
    return after(text, [start], ends) | spans(form["content"], text, start, ends)


def repeated(content, text, start, low, high):
    reached, places, count = set(), {start}, 0
    seen = set()
    while places and (high is None or count <= high):
        if count >= low:
            if places <= reached:
                break
            reached |= places
        if count >= high if high is not None else (count, frozenset(places)) in seen:
            break
        seen.add((count, frozenset(places)))
        places = {end for place in places for end in spans(content, text, place)}
        count += 1
        if count > low + len(text) + 2:
            break
    return reached


def spans_star(form, text, start, ends):
    return after(text, repeated(form["content"], text, start, 0, None), ends)


def spans_plus(form, text, start, ends):
    return after(text, repeated(form["content"], text, start, 1, None), ends)


def spans_repeat(form, text, start, ends):
    high = None if form["max"] < 0 else form["max"]
    return after(text, repeated(form["content"], text, start, form["min"], high), ends)


def tag_after(tag, text, start, begin, ends):
    if not text.startswith(begin, start):
        return set()
    own = tag["end"] if isinstance(tag["end"], list) else [tag["end"]]
    own = [] if own == [""] else own
    return after(text, spans(tag["content"], text, start + len(begin), own), ends)


def spans_tag(form, text, start, ends):
    return tag_after(form, text, start, form["begin"], ends)


def spans_tags_with_separator(form, text, start, ends):
    tags = {"type": "or", "elements": form["tags"]}
    places = spans(tags, text, start)
    reached = set(places)
    if not form.get("stop_after_first"):
        while places:
            behind = after(text, places, [form["separator"]])
            places = {end for place in behind for end in spans(tags, text, place)} - reached
            reached |= places
    if not form.get("at_least_one"):
        reached.add(start)
    return after(text, reached, ends)


def dispatch(text, start, ends, stops, branches, *, once):
    """``branches``: of each trigger, functions from a place and what follows to places."""
    reached, seen, places = set(), set(), {start}
    while places:
        place = places.pop()
        if place in seen:
            continue
        seen.add(place)
        if not ends:
            reached |= free(text, place, (), stops)
        end, found = first_complete(text, place, [*stops, *ends])
        if end is not None and found in ends:
            reached.add(end)
        for branch in branches.get(found, ()) if end is not None else ():
            if once:
                reached |= branch(end, ends)
            else:
                places |= branch(end, ())
    return reached


def spans_triggered_tags(form, text, start, ends):
    triggers = form["triggers"]
    branches = {}
    for tag in form["tags"]:
        trigger = next(each for each in triggers if tag["begin"].startswith(each))
        rest = tag["begin"][len(trigger) :]
        branches.setdefault(trigger, []).append(
            lambda place, following, tag=tag, rest=rest: tag_after(
                tag, text, place, rest, following
            )
        )
    once, excludes = form.get("stop_after_first", False), form.get("excludes", [])
    if not form.get("at_least_one"):
        return dispatch(text, start, ends, [*triggers, *excludes], branches, once=once)
    first = {"type": "or", "elements": form["tags"]}
    if once:
        return spans(first, text, start, ends)
    return {
        end
        for place in spans(first, text, start)
        for end in dispatch(text, place, ends, [*triggers, *excludes], branches, once=False)
    }


def spans_dispatch(form, text, start, ends):
    branches = {}
    for pattern, content in form["rules"]:
        branches.setdefault(pattern, []).append(
            lambda place, following, content=content: spans(content, text, place, following)
        )
    patterns, excludes = list(branches), form.get("excludes", [])
    once = not form.get("loop", True)
    return dispatch(text, start, ends, [*patterns, *excludes], branches, once=once)
