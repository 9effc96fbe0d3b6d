import { index, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { features } from "./features.ts";
import { projects } from "./projects.ts";

const userId = () =>
  integer("user_id")
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });
const createdAt = () => timestamp("created_at", { withTimezone: true }).notNull().defaultNow();

/** The flags that users have marked. By name, so that a flag stays marked when it moves to another project. */
export const favoriteFeatures = pgTable(
  "favorite_features",
  {
    userId: userId(),
    feature: text()
      .notNull()
      .references(() => features.name, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.feature] }),
    index("favorite_features_feature").on(table.feature),
  ],
);

/** The projects that users have marked. */
export const favoriteProjects = pgTable(
  "favorite_projects",
  {
    userId: userId(),
    project: text()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.project] }),
    index("favorite_projects_project").on(table.project),
  ],
);
