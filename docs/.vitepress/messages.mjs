// The page of messages: each message has an anchor, and is a result of the search by itself.

import { toAnchor } from "../../scripts/docs/anchors.mjs";

const PAGE = "reference/troubleshooting.md";

/** Gives the rows and list items of the page of messages an `id` with the words of their message. */
export function nameMessages(markdown) {
  markdown.core.ruler.push("name-messages", ({ env, tokens }) => {
    if (env.relativePath !== PAGE) return;
    const names = new Map();
    for (const [index, token] of tokens.entries()) {
      if (token.type !== "tr_open" && token.type !== "list_item_open") continue;
      const inline = tokens.slice(index).find(({ type }) => type === "inline");
      const code = inline.children.find(({ type }) => type === "code_inline");
      const isRow = token.type === "tr_open";
      if (isRow && code === undefined) continue;
      const name = toAnchor(isRow ? code.content : inline.content).replaceAll(/^-+|-+$/g, "");
      const count = (names.get(name) ?? 0) + 1;
      names.set(name, count);
      token.attrSet("id", count === 1 ? name : `${name}-${count}`);
    }
  });
}

const SECTION =
  /<h[1-6] id="(?<heading>[^"]*)"[^>]*>(?<title>.*?) <a |<(?<tag>tr|li) id="(?<id>[^"]*)">(?<content>[\s\S]*?)<\/\k<tag>>/g;

/** Splits the page of messages into sections for the search; undefined for other pages. */
export function splitMessages(path, html) {
  if (!path.endsWith(PAGE)) return undefined;
  const page = [];
  return [...html.matchAll(SECTION)].map(({ groups }) => {
    const { heading, title, tag, id, content } = groups;
    if (heading !== undefined) {
      page[page.length === 0 ? 0 : 1] = toText(title);
      return { anchor: heading, titles: [...page], text: "" };
    }
    const [message, explanation = ""] = tag === "tr" ? content.split("</td>") : [content];
    return { anchor: id, titles: [...page, toText(message)], text: toText(explanation) };
  });
}

function toText(html) {
  return html
    .replaceAll("<wbr>", "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
}
