# Parses a script of PowerShell, and tells where its syntax is wrong.
import sys

import tree_sitter
import tree_sitter_powershell

parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
source = open(sys.argv[1], "rb").read()


def errors(node):
    if node.is_error or node.is_missing:
        yield f"line {node.start_point[0] + 1}: {source[node.start_byte:node.end_byte][:60]!r}"
    for child in node.children:
        yield from errors(child)


print("\n".join(errors(parser.parse(source).root_node)) or "no error")
