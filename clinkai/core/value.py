"""Immutable values that cost nothing at import.

`dataclasses` would do the same, at about 0.9 ms a class plus 10 ms for the import of `inspect`;
a first request is not to wait for that. Fields are the annotations of the class, in order, those
of its bases first; a class attribute of that name is the default.

Covered: construction by position or name, equality, hash, repr, `replace`, `match` patterns.
Not covered: validation, default factories, ordering.
"""

from __future__ import annotations


class Value:
    """Base of frozen values. Raises TypeError for missing, unknown or doubled fields."""

    fields: tuple[str, ...] = ()
    __match_args__: tuple[str, ...] = ()

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        own = [n for n in cls.__dict__.get("__annotations__", {}) if n not in cls.fields]
        cls.fields = cls.__match_args__ = (*cls.fields, *own)

    def __init__(self, *args: object, **named: object) -> None:
        own = self.__dict__
        own.update(zip(self.fields, args))
        if not named and len(args) == len(self.fields):
            return  # the common case, many times a token
        if len(args) > len(self.fields) or not named.keys().isdisjoint(own):
            raise TypeError(f"{type(self).__name__}: too many values, or one given twice")
        own.update(named)
        if len(own) == len(self.fields) and own.keys() == set(self.fields):
            return
        for name in self.fields:
            if name not in own:
                if not hasattr(type(self), name):
                    raise TypeError(f"{type(self).__name__}: no value for {name!r}")
                own[name] = getattr(type(self), name)
        if len(own) != len(self.fields):
            unknown = sorted(own.keys() - set(self.fields))
            raise TypeError(f"{type(self).__name__}: unknown fields {unknown}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *(self.__dict__[n] for n in self.fields)))

    def __repr__(self) -> str:
        inner = ", ".join(f"{n}={self.__dict__[n]!r}" for n in self.fields)
        return f"{type(self).__name__}({inner})"


def replace(value: Value, **changes: object) -> Value:
    """Return a copy of `value` with some fields changed."""
    return type(value)(**{**value.__dict__, **changes})
