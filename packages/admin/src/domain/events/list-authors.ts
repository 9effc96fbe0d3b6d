import { sql } from "drizzle-orm";
import type { ProjectAccess } from "../../access/project-access.ts";
import { type Database, rowsOf } from "../../storage/database.ts";
import { events } from "../../storage/schema/events.ts";
import { features } from "../../storage/schema/features.ts";

// The protocol identifies authors by number. These stand for all tokens, all users of OpenID Connect before they had
// accounts, and the service.
const USER_IDS: ReadonlyMap<string, number> = new Map([
  ["token", -42],
  ["openid", -43],
  ["system", -1337],
]);

/** Returns the number of an author: the id of the account, or the number of all authors of that kind. */
export function userIdOf(actorKind: string, actorId: string | null): number {
  return actorKind === "user" ? Number(actorId) : (USER_IDS.get(actorKind) ?? 0);
}

interface Author {
  readonly id: number;
  readonly name: string;
}

/**
 * Lists the authors of visible events by name. NOTE: reads one entry of the index `events_author` per author, and not all events:
 * there can be millions.
 */
export async function listAuthors(db: Database, access: ProjectAccess): Promise<Author[]> {
  const { createdBy, actorKind, actorId, project } = events;
  const isVisible = access.isVisible(project) ?? sql`true`;
  const rows = await db.execute(sql`
    with recursive authors as (
      (select ${createdBy} as name, ${actorKind} as kind, ${actorId} as id from ${events}
        order by ${createdBy}, ${actorKind} limit 1)
      union all
      select following.name, following.kind, following.id from authors cross join lateral (
        select ${createdBy} as name, ${actorKind} as kind, ${actorId} as id from ${events}
        where (${createdBy}, ${actorKind}) > (authors.name, authors.kind)
        order by ${createdBy}, ${actorKind} limit 1
      ) as following
    )
    select name, kind, id from authors
    where exists (select from ${events} where ${createdBy} = authors.name
      and ${actorKind} = authors.kind and ${isVisible})
    order by name collate "C", kind collate "C"`);
  return rowsOf(rows).map(toAuthor);
}

/** Lists who created the flags of a project, by name. A creator whose events have been deleted counts as a token. */
export async function listFlagCreators(db: Database, project: string): Promise<Author[]> {
  const rows = await db.execute(sql`
    select creators.name, coalesce(kinds.kind, 'token') as kind, kinds.id
    from (
      select distinct ${features.createdBy} as name from ${features}
      where ${features.project} = ${project}
    ) as creators
    left join lateral (
      select ${events.actorKind} as kind, ${events.actorId} as id from ${events}
      where ${events.createdBy} = creators.name limit 1
    ) as kinds on true
    order by creators.name collate "C"`);
  return rowsOf(rows).map(toAuthor);
}

function toAuthor({ name, kind, id }: Readonly<Record<string, unknown>>): Author {
  return { id: userIdOf(String(kind), typeof id === "string" ? id : null), name: String(name) };
}
