import { randomUUID } from "node:crypto";
import { and, asc, count, eq } from "drizzle-orm";
import { badData, exceedsLimit, notFound } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { type Database, firstRow } from "../../storage/database.ts";
import { featureLinks } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { type FeatureAddress, getActiveFeature } from "../feature.ts";
import type { Link } from "./schemas.ts";

const VIEW = { id: featureLinks.id, url: featureLinks.url, title: featureLinks.title } as const;

/** Lists the links of a flag, oldest first. */
export function listLinks(db: Database, feature: string) {
  return db
    .select(VIEW)
    .from(featureLinks)
    .where(eq(featureLinks.feature, feature))
    .orderBy(asc(featureLinks.createdAt), asc(featureLinks.id));
}

/**
 * @throws {ApiError} if the flag is unknown or archived or has too many links, or the address is not one of a page
 */
export async function addLink(
  { db, record }: WriteTransaction,
  address: FeatureAddress,
  body: Link,
): Promise<void> {
  const { name: feature, project } = await getActiveFeature(db, address);
  const link = toLink(body);
  const { existing } = firstRow(
    await db
      .select({ existing: count() })
      .from(featureLinks)
      .where(eq(featureLinks.feature, feature)),
  );
  if (existing >= LIMITS.linksPerFeature) {
    throw exceedsLimit("links of a flag", LIMITS.linksPerFeature);
  }
  const id = randomUUID();
  await db.insert(featureLinks).values({ id, feature, ...link });
  await record({ type: "feature-link-added", project, feature, after: { id, ...link } });
}

/** A link of a flag. */
interface LinkAddress extends FeatureAddress {
  readonly link: string;
}

/**
 * @throws {ApiError} if the flag is unknown or archived or has no such link, or the address is not one of a page
 */
export async function updateLink(
  { db, record }: WriteTransaction,
  address: LinkAddress,
  body: Link,
): Promise<void> {
  const { name: feature, project } = await getActiveFeature(db, address);
  const before = await getLink(db, address);
  const link = toLink(body);
  await db.update(featureLinks).set(link).where(eq(featureLinks.id, before.id));
  const after = { id: before.id, ...link };
  await record({ type: "feature-link-updated", project, feature, before, after });
}

/**
 * @throws {ApiError} if the flag is unknown or archived or has no such link
 */
export async function removeLink(
  { db, record }: WriteTransaction,
  address: LinkAddress,
): Promise<void> {
  const { name: feature, project } = await getActiveFeature(db, address);
  const before = await getLink(db, address);
  await db.delete(featureLinks).where(eq(featureLinks.id, before.id));
  await record({ type: "feature-link-removed", project, feature, before });
}

async function getLink(db: Database, { feature, link: id }: LinkAddress) {
  const [link] = await db
    .select(VIEW)
    .from(featureLinks)
    .where(and(eq(featureLinks.id, id), eq(featureLinks.feature, feature)));
  if (link !== undefined) return link;
  throw notFound(`The flag ${JSON.stringify(feature)} has no link ${JSON.stringify(id)}`);
}

/** @throws {ApiError} if the console could not open the address, or it would run a script */
function toLink({ url, title }: Link) {
  const trimmed = url.trim();
  if (!URL.canParse(trimmed) || !/^https?:$/.test(new URL(trimmed).protocol)) {
    throw badData("/body/url", "must be an address that begins with http:// or https://");
  }
  const text = title?.trim() ?? "";
  return { url: trimmed, title: text === "" ? null : text };
}
