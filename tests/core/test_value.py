from __future__ import annotations

import pytest

from clinkai.core.value import Value, replace


class Point(Value):
    x: int
    y: int = 0


class Named(Point):
    name: str = ""


def test_fields_come_in_order_with_those_of_the_base_first():
    assert (Point.fields, Named.fields) == (("x", "y"), ("x", "y", "name"))


@pytest.mark.parametrize(("made", "equal"), [
    (Point(1), Point(x=1, y=0)), (Point(1, 2), Point(1, y=2)), (Named(1, 2, "n"), Named(1, 2, name="n")),
])
def test_values_are_made_by_position_or_name(made, equal):
    assert made == equal and hash(made) == hash(equal)


def test_values_of_different_classes_differ():
    assert Point(1) != Named(1)


@pytest.mark.parametrize(("args", "named"), [
    ((), {}), ((1, 2, 3), {}), ((1,), {"x": 1}), ((1,), {"z": 1}), ((1, 2), {"z": 1}),
])
def test_wrong_fields_are_type_errors(args, named):
    with pytest.raises(TypeError):
        Point(*args, **named)


def test_values_are_frozen():
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 2
    with pytest.raises(AttributeError):
        del point.x


def test_replace_makes_a_changed_copy():
    assert (replace(Point(1, 2), y=3), repr(Named(1))) == (Point(1, 3), "Named(x=1, y=0, name='')")


def test_match_takes_values_apart():
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)
