"""Print the script with which a shell completes toolgen's commands and flags.

bash: eval "$(toolgen completion bash)" in ~/.bashrc. zsh: the same in ~/.zshrc, with zsh, after compinit.
fish: toolgen completion fish > ~/.config/fish/completions/toolgen.fish
"""

from __future__ import annotations

import argparse

from toolgen.cli.output import emit

IS_SHORT = True


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")


def run(args: argparse.Namespace) -> bool:
    from argcomplete.shell_integration import shellcode  # of the extra `cli`

    emit(*shellcode(["toolgen"], shell="fish" if args.shell == "fish" else "bash").splitlines())
    return True
