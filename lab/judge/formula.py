# SPDX-License-Identifier: GPL-2.0-only
"""The value of a formula of an event list, which may be a stranger's: numbers, names, arithmetic,
comparisons, bits, "if" and functions that the caller gives, and nothing else of Python"""
import ast
import operator
from collections.abc import Callable, Mapping

LONGEST = 20000
DEEPEST = 100


def shift(number: int, bits: int) -> int:
    """A shift within 64 bits"""
    if bits > 63:
        raise OverflowError
    return number << bits


OPERATORS: dict[type, Callable] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Mod: operator.mod, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.USub: operator.neg,
    ast.BitOr: operator.or_, ast.LShift: shift, ast.UAdd: operator.pos, ast.Not: operator.not_}


class NoFormula(Exception):
    """Why a text is none"""


def parse(text: str) -> ast.expr:
    """The tree of a formula"""
    if len(text) > LONGEST:
        raise NoFormula('its formula is too long')
    try:
        return ast.parse(text.strip(), mode='eval').body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NoFormula(f'its formula is none: {type(error).__name__}') from error


def value(node: ast.expr, names: Mapping[str, float | Callable], depth: int = 0) -> float:
    """The value of a tree, with these numbers and functions"""
    def of(part: ast.expr) -> float:
        return value(part, names, depth + 1)

    if depth > DEEPEST:
        raise NoFormula('its formula is too deep')
    try:
        match node:
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.Name(id=name) if isinstance(names.get(name), (int, float)):
                return names[name]
            case ast.UnaryOp(op=op, operand=part):
                return OPERATORS[type(op)](of(part))
            case ast.BinOp(left=left, op=op, right=right):
                return OPERATORS[type(op)](of(left), of(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return OPERATORS[type(op)](of(left), of(right))
            case ast.BoolOp(op=op, values=parts):
                return (all if isinstance(op, ast.And) else any)(of(part) for part in parts)
            case ast.IfExp(test=test, body=body, orelse=other):
                return of(body if of(test) else other)
            case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if callable(
                    names.get(name)):
                return names[name](*map(of, parts))
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:
        raise NoFormula(f'its formula has no value: {type(error).__name__}') from error
    raise NoFormula(f'its formula has {type(node).__name__}')
