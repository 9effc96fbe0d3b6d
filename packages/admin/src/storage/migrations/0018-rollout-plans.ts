import type { Migration } from "./migration.ts";

/** Plans that raise the percentage of strategies step by step. */
export const rolloutPlans: Migration = {
  version: 18,
  name: "rollout plans",
  statements: [
    `create table rollout_plans (
      strategy text primary key references strategies (id) on delete cascade,
      steps jsonb not null,
      step integer not null,
      state text not null,
      next_at timestamptz,
      reason text,
      set_by jsonb not null,
      set_at timestamptz not null default now()
    )`,
    `create index rollout_plans_due on rollout_plans (next_at) where state = 'running'`,
  ],
};
