import { sql, type SQL } from "drizzle-orm";
import { type Database, rowsOf } from "../storage/database.ts";
import { OFFERED_EVENTS } from "../storage/event-groups.ts";
import { addons, type NotificationState } from "../storage/schema/notifications.ts";
import { type Addon, MASKED } from "./addon-store.ts";
import { findProvider, PROVIDERS } from "./providers/providers.ts";

/** All providers as responses list them. */
export function viewProviders() {
  return PROVIDERS.map(({ name, displayName, documentationUrl, description, parameters }) => ({
    name,
    displayName,
    documentationUrl,
    description,
    parameters,
    events: OFFERED_EVENTS,
  }));
}

/** Reads addons with the state of their notifications, without secrets. */
export async function viewAddons(db: Database, condition: SQL = sql`true`) {
  const rows = await db.select().from(addons).where(condition).orderBy(addons.id);
  const states = rowsOf(
    await db.execute(sql`
      select addons.id, latest.*,
        (select count(*) from notifications where addon = addons.id and state = 'pending') as pending,
        (select count(*) from notifications where addon = addons.id and state = 'failed') as failed
      from addons left join lateral (
        select state, attempted_at::text, status, reason from notifications
        where addon = addons.id and attempted_at is not null order by event desc limit 1
      ) as latest on true
      where ${condition}`),
  );
  const stateOf = new Map(states.map((state) => [Number(state["id"]), state]));
  return rows.map((addon) => {
    const state = stateOf.get(addon.id) ?? {};
    const { attempted_at: at, status, reason } = state;
    return {
      ...viewSettings(addon),
      pending: Number(state["pending"] ?? 0),
      failed: Number(state["failed"] ?? 0),
      lastAttempt:
        typeof at === "string"
          ? {
              state: state["state"] as NotificationState,
              at: new Date(at),
              status: typeof status === "number" ? status : null,
              reason: typeof reason === "string" ? reason : null,
            }
          : null,
    };
  });
}

function viewSettings(addon: Addon) {
  const { parameters } = addon;
  const provider = findProvider(addon.provider);
  const isSecret = (name: string): boolean =>
    provider?.parameters.find((parameter) => parameter.name === name)?.sensitive ?? true;
  const url = provider?.urlOf(parameters) ?? "";
  return {
    id: addon.id,
    provider: addon.provider,
    enabled: addon.enabled,
    description: addon.description,
    events: addon.events,
    projects: addon.projects,
    environments: addon.environments,
    createdAt: addon.createdAt,
    failingSince: addon.failingSince,
    disabledReason: addon.disabledReason,
    destination: URL.canParse(url) ? new URL(url).host : "",
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        value !== "" && isSecret(name) ? MASKED : value,
      ]),
    ),
  };
}
