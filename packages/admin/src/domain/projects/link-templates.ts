import { badData } from "../../errors.ts";
import type { LinkTemplate } from "../../storage/schema/json-values.ts";
import type { FeatureAddress } from "../feature.ts";
import type { LinkTemplateInput } from "./schemas.ts";

/** A link of a flag that its project defines. */
export interface ProjectLink {
  readonly title: string | null;
  readonly url: string;
}

/**
 * Converts templates in a request to the form in which they are stored.
 *
 * @throws {ApiError} if one is not an address of a web page, or has a placeholder where none may be
 */
export function checkLinkTemplates(
  templates: readonly LinkTemplateInput[],
): readonly LinkTemplate[] {
  return templates.map(({ title, urlTemplate }, index) => {
    const problem = findProblem(urlTemplate.trim());
    if (problem !== undefined) throw badData(`/body/linkTemplates/${index}/urlTemplate`, problem);
    return { title: title?.trim() || null, urlTemplate: urlTemplate.trim() };
  });
}

function findProblem(urlTemplate: string): string | undefined {
  const unknown = /\{\{(?!project\}\}|feature\}\})[^}]*\}?\}?/.exec(urlTemplate)?.[0];
  if (unknown !== undefined) {
    return `must contain no other placeholders than {{project}} and {{feature}}: ${JSON.stringify(unknown)}`;
  }
  if (/[\s\\]/.test(urlTemplate)) return "must not contain spaces or backslashes";
  const [one, other] = ["a", "b"].map((name) =>
    parseUrl(fill(urlTemplate, { project: name, feature: name })),
  );
  if (one === undefined || other === undefined || !/^https?:$/.test(one.protocol)) {
    return "must be the address of a web page that begins with https:// or http://";
  }
  if (one.username !== "" || one.password !== "")
    return "must not contain a user name or a password";
  // NOTE: who names a flag must not choose where links lead.
  return one.origin === other.origin
    ? undefined
    : "must have placeholders only after the host name";
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Returns the links that a project defines for a flag. */
export function toProjectLinks(
  templates: readonly LinkTemplate[],
  address: FeatureAddress,
): readonly ProjectLink[] {
  return templates.map(({ title, urlTemplate }) => ({ title, url: fill(urlTemplate, address) }));
}

function fill(urlTemplate: string, { project, feature }: FeatureAddress): string {
  return urlTemplate
    .replaceAll("{{project}}", () => encodeURIComponent(project))
    .replaceAll("{{feature}}", () => encodeURIComponent(feature));
}
