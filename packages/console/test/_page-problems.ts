import type { ConsoleMessage, Page } from "playwright-core";

/**
 * Collects what must never happen while a page is open: errors and warnings in the log, which include violations of
 * the Content-Security-Policy; uncaught errors; requests to other servers; dialogs of the browser.
 *
 * @param expected messages in the log that the test provokes
 * @returns the problems, also those that are still to come
 */
export function watchPage(page: Page, expected?: RegExp): readonly string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    const text = message.text();
    if (!["error", "warning"].includes(message.type()) || expected?.test(text) === true) return;
    if (!isSessionCheck(message)) problems.push(`${message.type()}: ${text}`);
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.stack ?? error.message}`));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol === "data:" || protocol === "blob:" || page.url() === "about:blank") return;
    if (origin !== new URL(page.url()).origin) problems.push(`request: ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return problems;
}

/** The browser logs the response 401 with which the service says that nobody is signed in. */
function isSessionCheck(message: ConsoleMessage): boolean {
  return (
    message.location().url.endsWith("/auth/session") &&
    message.text().includes("the server responded with a status of 401")
  );
}
