/**
 * Returns the address of a page.
 *
 * @param url address at which browsers reach the service, with or without a slash at its end
 * @param path begins with a slash
 */
export function toPageUrl(url: string, path: string): string {
  return url.replace(/\/$/, "") + path;
}
