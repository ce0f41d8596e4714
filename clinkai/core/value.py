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
    _names: frozenset[str] = frozenset()
    _defaults: dict[str, object] = {}
    __match_args__: tuple[str, ...] = ()

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        own = [n for n in cls.__dict__.get("__annotations__", {}) if n not in cls.fields]
        cls.fields = cls.__match_args__ = (*cls.fields, *own)
        cls._names = frozenset(cls.fields)
        cls._defaults = {n: getattr(cls, n) for n in cls.fields if hasattr(cls, n)}

    def __init__(self, *args: object, **named: object) -> None:
        own, fields = self.__dict__, self.fields
        if not named and len(args) == len(fields):
            own.update(zip(fields, args))  # the common case, many times a token
            return
        own.update(self._defaults)
        own.update(zip(fields, args))
        own.update(named)
        if (
            own.keys() != self._names or len(args) > len(fields)
            or not named.keys().isdisjoint(fields[:len(args)])
        ):
            self._complain(args, named)

    def _complain(self, args: tuple, named: dict) -> None:
        name, fields = type(self).__name__, self.fields
        if len(args) > len(fields) or not named.keys().isdisjoint(fields[:len(args)]):
            raise TypeError(f"{name}: too many values, or one given twice")
        unknown = sorted(named.keys() - set(fields))
        if unknown:
            raise TypeError(f"{name}: unknown fields {unknown}")
        missing = next(field for field in fields if field not in self.__dict__)
        raise TypeError(f"{name}: no value for {missing!r}")

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
    """Return a copy of `value` with some fields changed. Raises TypeError for unknown fields."""
    copy = object.__new__(type(value))
    own = copy.__dict__
    own.update(value.__dict__)
    own.update(changes)
    if len(own) != len(value.fields):
        raise TypeError(f"{type(value).__name__}: unknown fields {sorted(changes)}")
    return copy
