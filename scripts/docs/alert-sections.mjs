// The sections about alerts, from the rules. A document marks their place with a comment that names the group of rules.

import { readFile } from "node:fs/promises";
import { parse } from "yaml";

const RULES = new URL("../../deploy/prometheus/alerts.yaml", import.meta.url);
const SECTIONS = /(<!-- alerts:start (?<group>\S+) -->\n)(?<body>[\s\S]*?)(<!-- alerts:end -->)/g;

/** Returns the document with the sections that it should have. */
export async function withAlertSections(text) {
  const { groups } = parse(await readFile(RULES, "utf8"));
  return text.replaceAll(SECTIONS, (...match) => {
    const { rules } = groups.find(({ name }) => name === match.at(-1).group);
    return `${match[1]}\n${rules.map(toSection).join("\n\n")}\n\n${match[4]}`;
  });
}

function toSection({ alert, labels, annotations }) {
  return `### ${alert}\n\n_${labels.severity}_: ${annotations.action}`;
}
