// The tables of the subcommands of both programs, from what `--help` prints. A document marks the place of a table with a
// comment that names the program: `<!-- commands:start flags-proxy -->`.

import { SUBCOMMANDS as OF_ADMIN } from "../../packages/admin/dist/cli/subcommands.js";
import { SUBCOMMANDS as OF_PROXY } from "../../packages/proxy/dist/subcommands.js";

const TABLES =
  /(<!-- commands:start (?<program>\S+) -->\n)(?<body>[\s\S]*?)(<!-- commands:end -->)/g;

const SUBCOMMANDS = { "flags-proxy": OF_PROXY, "flags-admin": OF_ADMIN };

/** Returns the document with the tables that it should have. */
export function withCommandTables(text) {
  return text.replaceAll(TABLES, (...match) => {
    const { program } = match.at(-1);
    return `${match[1]}\n${formatTable(program)}\n\n${match[4]}`;
  });
}

function formatTable(program) {
  const rows = SUBCOMMANDS[program].map(
    ({ name, summary, exitCodes: [success] }) =>
      `| \`${program} ${name}\` | ${summary}. Exits with 0 if ${startLower(success)} |`,
  );
  return ["| Command | What it does |", "| - | - |", ...rows].join("\n");
}

function startLower(text) {
  return text[0].toLowerCase() + text.slice(1);
}
