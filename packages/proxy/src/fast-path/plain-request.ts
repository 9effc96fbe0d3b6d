import type { IncomingMessage } from "node:http";
import { hasShortBody } from "./short-body.ts";

const PLAIN_JSON = /^application\/json(?:; ?charset=utf-8)?$/i;

/** Whether this is a GET of a path, with or without a query, and nothing unusual about it. */
export function isPlainGet({ method, url = "", headers }: IncomingMessage, path: string): boolean {
  return (
    method === "GET" &&
    url.startsWith(path) &&
    (url.length === path.length || url[path.length] === "?") &&
    headers["content-length"] === undefined &&
    headers["transfer-encoding"] === undefined
  );
}

/** Whether this is a POST of a little JSON to a path, and nothing unusual about it. */
export function isPlainPost(request: IncomingMessage, path: string): boolean {
  const { method, url, headers } = request;
  return (
    method === "POST" &&
    url === path &&
    PLAIN_JSON.test(headers["content-type"] ?? "") &&
    headers["content-encoding"] === undefined &&
    hasShortBody(request)
  );
}
