import { dirname, join, relative } from "node:path";

/**
 * Links from a page to files outside of docs/ lead to the repository: those files are not pages of the site.
 * `npm run docs:check` checks that they exist.
 */
export function linkOutside(markdown, repositoryUrl) {
  markdown.core.ruler.push("link-outside", (state) => {
    const page = state.env.relativePath;
    if (page === undefined) return;
    for (const { children } of state.tokens) {
      for (const token of children ?? []) {
        const target = token.type === "link_open" ? token.attrGet("href") : null;
        if (target === null || !target.startsWith("..")) continue;
        const path = relative("docs", join("docs", dirname(page), target));
        if (path.startsWith("..")) token.attrSet("href", `${repositoryUrl}/${path.slice(3)}`);
      }
    }
  });
}
