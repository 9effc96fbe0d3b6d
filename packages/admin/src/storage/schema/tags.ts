import { foreignKey, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { features } from "./features.ts";

export const tagTypes = pgTable("tag_types", {
  name: text().primaryKey(),
  description: text(),
  icon: text(),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
});

export const tags = pgTable(
  "tags",
  {
    type: text()
      .notNull()
      .references(() => tagTypes.name, { onDelete: "cascade" }),
    value: text().notNull(),
    color: text(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.type, table.value] })],
);

export const featureTags = pgTable(
  "feature_tags",
  {
    feature: text()
      .notNull()
      .references(() => features.name, { onDelete: "cascade" }),
    type: text().notNull(),
    value: text().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.feature, table.type, table.value] }),
    foreignKey({
      columns: [table.type, table.value],
      foreignColumns: [tags.type, tags.value],
    }).onDelete("cascade"),
  ],
);
