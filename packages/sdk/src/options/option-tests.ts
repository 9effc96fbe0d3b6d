import type { CustomStrategy } from "flags-engine";
import type { StorageProvider } from "../storage/storage-provider.ts";
import { SYNCHRONIZATIONS } from "../sync/synchronizer.ts";
import type { Synchronization } from "../sync/synchronizer.ts";
import { isHeaderName, isHeaderValue } from "../transport/header-map.ts";
import type { CustomHeadersFunction } from "../transport/wire-headers.ts";
import type { Tag } from "./flags-client-options.ts";
import { isRecord } from "./option-reader.ts";

export function isHttpUrl(value: unknown): value is string {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}

/** A proxy address may hold a user name and a password; empty text means no proxy. */
export function isProxyUrl(value: unknown): value is string {
  if (value === "") return true;
  return typeof value === "string" && URL.canParse(value) && /^https?:/i.test(value);
}

export function isHeaderRecord(value: unknown): value is Readonly<Record<string, string>> {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(([name, text]) => isHeaderName(name) && isHeaderValue(text));
}

export function isHeadersFunction(value: unknown): value is CustomHeadersFunction {
  return typeof value === "function";
}

export function isSynchronization(value: unknown): value is Synchronization {
  return SYNCHRONIZATIONS.some((known) => known === value);
}

export function isTagList(value: unknown): value is readonly Tag[] {
  return Array.isArray(value) && value.every(isTag);
}

function isTag(value: unknown): value is Tag {
  return isRecord(value) && typeof value["name"] === "string" && typeof value["value"] === "string";
}

export function isStrategyList(value: unknown): value is readonly CustomStrategy[] {
  return Array.isArray(value) && value.every(isStrategy);
}

function isStrategy(value: unknown): value is CustomStrategy {
  if (!isRecord(value)) return false;
  return typeof value["name"] === "string" && typeof value["isEnabled"] === "function";
}

export function isStorageProvider(value: unknown): value is StorageProvider {
  if (!isRecord(value)) return false;
  return typeof value["get"] === "function" && typeof value["set"] === "function";
}

export function isTextOrTexts(value: unknown): value is string | readonly string[] {
  const texts: unknown = typeof value === "string" ? [value] : value;
  return Array.isArray(texts) && texts.every((text) => typeof text === "string");
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
