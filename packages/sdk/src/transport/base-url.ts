/** Returns the URL of an API with a trailing slash, so that paths can be resolved against it. */
export function toBaseUrl(text: string): URL {
  const url = new URL(text);
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  url.search = "";
  url.hash = "";
  return url;
}
