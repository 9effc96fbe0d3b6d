import { parse, type ParsedUrlQuery } from "node:querystring";

/**
 * Parses the query of a URL. Tools mark lists in different ways, so `tag[]=a` means `tag=a`.
 *
 * NOTE: without a limit for the number of parameters, because Node would drop the others silently.
 */
export function parseQuery(text: string): ParsedUrlQuery {
  const query = parse(text, undefined, undefined, { maxKeys: 0 });
  for (const [name, value] of Object.entries(query)) {
    if (!name.endsWith("[]")) continue;
    delete query[name];
    const plain = name.slice(0, -2);
    query[plain] = [...[query[plain] ?? []].flat(), ...[value ?? []].flat()];
  }
  return query;
}
