import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { queries } from "../api/queries.ts";
import type { Project } from "../api/types.ts";
import { PROJECT_FIELDS } from "../app/list-fields.ts";
import { FavoriteButton } from "../favorites/favorite-button.tsx";
import { useFavoriteProject } from "../favorites/use-favorites.ts";
import { useHasRole } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { describeCount } from "../ui/numbers.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { SEARCHABLE_COUNT, SearchField } from "../ui/fields.tsx";
import { LinkedText } from "../ui/linked-text.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { menuColumn } from "../ui/menu.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Time } from "../ui/time.tsx";
import { useCreating } from "../ui/use-creating.ts";
import { useListState } from "../ui/use-list-state.ts";
import { matchesWords, toWords } from "../ui/words.ts";
import { ArchiveProjectDialog, useReviveProject } from "./archive-project-dialog.tsx";
import { PROJECT_MODES } from "./project-modes.ts";
import { DeleteProjectDialog } from "./delete-project-dialog.tsx";
import { CreateProjectDialog } from "./create-project-dialog.tsx";

/** All projects, active and archived. */
export function ProjectsPage() {
  const isAdmin = useHasRole("admin");
  const [isCreating, setCreating] = useCreating();
  const [{ tab }, changeList] = useListState(PROJECT_FIELDS);
  return (
    <Page
      title="Projects"
      description="A project contains the flags of a product or a team."
      actions={
        isAdmin ? (
          <Button variant="primary" onPress={() => setCreating(true)}>
            <Plus aria-hidden /> New project
          </Button>
        ) : undefined
      }
    >
      <Tabs
        label="Projects"
        selected={tab}
        onSelect={(id) => changeList({ tab: id, query: "", sort: "" })}
        tabs={[
          { id: "active", label: "Active", content: () => <ActiveProjects isAdmin={isAdmin} /> },
          {
            id: "archived",
            label: "Archived",
            content: () => <ArchivedProjects isAdmin={isAdmin} />,
          },
        ]}
      />
      {isCreating ? <CreateProjectDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

function ActiveProjects({ isAdmin }: { readonly isAdmin: boolean }) {
  const projects = useQuery(queries.projects());
  const navigate = useNavigate();
  const marking = useFavoriteProject();
  const [archived, setArchived] = useState<Project>();
  const close = (): void => setArchived(undefined);
  const actions: Column<Project> = menuColumn(
    (project) => project.name,
    (project) => [
      {
        label: "Settings",
        run: () =>
          void navigate({
            to: "/projects/$project/settings",
            params: { project: project.id },
          }),
      },
      ...(isAdmin && project.id !== "default"
        ? [{ label: "Archive", isDangerous: true, run: () => setArchived(project) }]
        : []),
    ],
  );
  return (
    <div className="stack">
      <Loaded query={projects}>
        {(all) => (
          <ProjectTable
            projects={all}
            name={({ id, name, favorite }) => (
              <>
                <FavoriteButton
                  name={name}
                  isFavorite={favorite}
                  onChange={(isFavorite) => marking.mutate({ project: id, isFavorite })}
                />
                <Link to="/projects/$project/flags" params={{ project: id }}>
                  {name}
                </Link>
              </>
            )}
            columns={[...ACTIVE_COLUMNS, actions]}
          />
        )}
      </Loaded>
      {archived === undefined ? null : (
        <ArchiveProjectDialog project={archived} onClose={close} onDone={close} />
      )}
    </div>
  );
}

function ArchivedProjects({ isAdmin }: { readonly isAdmin: boolean }) {
  const projects = useQuery(queries.archivedProjects());
  const reviving = useReviveProject();
  const [deleted, setDeleted] = useState<Project>();
  const actions: readonly Column<Project>[] = isAdmin
    ? [
        menuColumn(
          ({ name }) => name,
          (project) => [
            { label: "Revive", run: () => reviving.mutate(project) },
            { label: "Delete", isDangerous: true, run: () => setDeleted(project) },
          ],
        ),
      ]
    : [];
  return (
    <div className="stack">
      <Loaded query={projects}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No project is archived">
              <p>Archive a project when its product or team no longer exists.</p>
            </Empty>
          ) : (
            <ProjectTable
              projects={all}
              name={({ name }) => name}
              columns={[...ARCHIVED_COLUMNS, ...actions]}
            />
          )
        }
      </Loaded>
      {deleted === undefined ? null : (
        <DeleteProjectDialog project={deleted} onClose={() => setDeleted(undefined)} />
      )}
    </div>
  );
}

function isFavorite({ favorite }: Project): boolean {
  return favorite;
}

/** Those of the table, not of the tabs around it. */
const TABLE_FIELDS = { query: "", sort: "" } as const;

interface ProjectTableProps {
  readonly projects: readonly Project[];
  readonly name: (project: Project) => ReactNode;
  /** Columns after the name. */
  readonly columns: readonly Column<Project>[];
}

function ProjectTable({ projects, name, columns }: ProjectTableProps) {
  const [{ query, sort }, changeList] = useListState(TABLE_FIELDS);
  const setQuery = (text: string): void => changeList({ query: text });
  const shown = useMemo(() => {
    const words = toWords(query);
    return projects.filter((project) =>
      matchesWords(words, project.name, project.id, project.description),
    );
  }, [projects, query]);
  const nameColumn: Column<Project> = {
    id: "name",
    header: "Name",
    isRowHeader: true,
    sortBy: (project) => project.name.toLowerCase(),
    cell: (project) => (
      <>
        <span className="row">
          {name(project)}
          {project.mode === "open" ? null : (
            <Badge>{PROJECT_MODES.find(({ id }) => id === project.mode)?.label}</Badge>
          )}
        </span>
        <p className="data-detail">
          <LinkedText text={project.description || project.id} />
        </p>
      </>
    ),
  };
  return (
    <>
      {projects.length < SEARCHABLE_COUNT && query === "" ? null : (
        <div className="row" role="search">
          <SearchField label="Search the projects" value={query} onChange={setQuery} />
        </div>
      )}
      {shown.length === 0 ? (
        <Empty title="No project matches">
          <Button onPress={() => setQuery("")}>Show all projects</Button>
        </Empty>
      ) : (
        <DataTable
          label="Projects"
          rows={shown}
          keyOf={({ id }) => id}
          isFirst={isFavorite}
          columns={[nameColumn, ...columns]}
          sort={sort}
          onSort={(next) => changeList({ sort: next })}
        />
      )}
    </>
  );
}

const ACTIVE_COLUMNS: readonly Column<Project>[] = [
  {
    id: "flags",
    header: "Flags",
    width: "8rem",
    sortBy: ({ featureCount }) => featureCount,
    startsDescending: true,
    cell: ({ featureCount }) => describeCount(featureCount, "flag"),
  },
  {
    id: "environments",
    header: "Environments",
    width: "26%",
    cell: ({ environments }) =>
      environments.length === 0 ? <span className="muted">none</span> : environments.join(", "),
  },
  {
    id: "created",
    header: "Created",
    width: "10rem",
    sortBy: ({ createdAt }) => createdAt,
    startsDescending: true,
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
];

const ARCHIVED_COLUMNS: readonly Column<Project>[] = [
  {
    id: "archived",
    header: "Archived",
    width: "10rem",
    sortBy: ({ archivedAt }) => archivedAt,
    startsDescending: true,
    cell: ({ archivedAt }) => (archivedAt === null ? null : <Time value={archivedAt} />),
  },
];
