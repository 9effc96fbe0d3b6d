import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import type { EVENT_FIELDS } from "../app/list-fields.ts";
import { describeTokenType } from "../tokens/token-types.ts";
import type { ListState } from "../ui/list-search.ts";
import { SearchField, TextField } from "../ui/fields.tsx";
import { ComboBox } from "../ui/combo-box.tsx";
import { type Choice, FilterSelect } from "../ui/select.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { sortDistinct } from "../ui/words.ts";
import { EVENT_TYPES } from "./describe-event.ts";

/** What to filter by, as it is typed. Empty strings match every event. */
type EventCriteria = Omit<ListState<typeof EVENT_FIELDS>, "pages">;

interface EventFiltersProps {
  readonly criteria: EventCriteria;
  readonly onChange: (changed: Partial<EventCriteria>) => void;
  /** Whether there are filters for projects and flags. */
  readonly isGlobal: boolean;
}

export function EventFilters({ criteria, onChange, isGlobal }: EventFiltersProps) {
  const types = isGlobal ? EVENT_TYPES : EVENT_TYPES.filter(({ id }) => isTypeOfFlag(id));
  return (
    <div className="event-filters" role="search">
      <SearchField
        label="Search changed values"
        value={criteria.query}
        onChange={(query) => onChange({ query })}
      />
      <FilterSelect
        label="Change"
        all="All changes"
        choices={types}
        value={criteria.type}
        onChange={(type) => onChange({ type })}
      />
      <TextField
        label="From (UTC)"
        type="date"
        value={criteria.from}
        onChange={(from) => onChange({ from })}
      />
      <TextField
        label="To (UTC)"
        type="date"
        value={criteria.to}
        onChange={(to) => onChange({ to })}
      />
      <AuthorFilter author={criteria.createdBy} onChange={(createdBy) => onChange({ createdBy })} />
      {isGlobal ? (
        <>
          <ProjectFilter project={criteria.project} onChange={(project) => onChange({ project })} />
          <FlagFilter
            flag={criteria.feature}
            project={criteria.project}
            onChange={(feature) => onChange({ feature })}
          />
        </>
      ) : null}
    </div>
  );
}

interface AuthorFilterProps {
  readonly author: string;
  readonly onChange: (author: string) => void;
}

/** Suggests who can sign in with a token, and who has made the latest changes. */
function AuthorFilter({ author, onChange }: AuthorFilterProps) {
  const { data: tokens = [] } = useQuery(queries.tokens());
  const { data: latest } = useInfiniteQuery(queries.events({}));
  const names = [
    ...(latest?.pages ?? []).flatMap(({ events }) => events.map(({ createdBy }) => createdBy)),
    ...tokens
      .filter(({ type }) => !describeTokenType(type).isForSdks)
      .map((token) => token.tokenName),
  ];
  return (
    <ComboBox
      label="By"
      placeholder="Exact name"
      choices={toChoices(names)}
      value={author}
      onChange={onChange}
    />
  );
}

interface FlagFilterProps {
  readonly flag: string;
  /** The project whose flags are suggested. Empty for all. */
  readonly project: string;
  readonly onChange: (flag: string) => void;
}

function FlagFilter({ flag, project, onChange }: FlagFilterProps) {
  const { data: names = [] } = useQuery(queries.flagNames(useDebounced(flag), project));
  return (
    <ComboBox
      label="Flag"
      placeholder="Exact name"
      choices={toChoices(names)}
      value={flag}
      onChange={onChange}
    />
  );
}

function toChoices(names: readonly string[]): readonly Choice[] {
  return sortDistinct(names).map((name) => ({ id: name, label: name }));
}

interface ProjectFilterProps {
  readonly project: string;
  readonly onChange: (project: string) => void;
}

function ProjectFilter({ project, onChange }: ProjectFilterProps) {
  const { data: projects = [] } = useQuery(queries.projects());
  return (
    <FilterSelect
      label="Project"
      all="All projects"
      choices={projects.map(({ id, name }) => ({ id, label: name }))}
      value={project}
      onChange={onChange}
    />
  );
}

function isTypeOfFlag(type: string): boolean {
  return type.startsWith("feature-") || type === "strategy-order-changed";
}
