import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queries } from "../api/queries.ts";
import type { Project, ProjectMember, ProjectStatus } from "../api/types.ts";
import { describeEvent } from "../events/describe-event.ts";
import { describeType } from "../flags/flag-types.ts";
import { Badge } from "../ui/badge.tsx";
import { LinkedText } from "../ui/linked-text.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { describeCount, formatCount } from "../ui/numbers.ts";
import { Page } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { nameOfUser } from "../users/user-names.ts";
import { PROJECT_MODES } from "./project-modes.ts";
import "./project-page.css";

const route = getRouteApi("/shell/projects/$project");

/** How a project is doing: what should be cleaned up, what has changed, and who can do what. */
export function ProjectPage() {
  const { project: id } = route.useParams();
  const { data: projects } = useQuery(queries.projects());
  const status = useQuery(queries.projectStatus(id));
  const project = projects?.find((entry) => entry.id === id);
  return (
    <Page
      title={project?.name ?? id}
      description={
        project?.description ? <LinkedText text={project.description} /> : `The project ${id}.`
      }
      actions={
        <Link to="/projects/$project/settings" params={{ project: id }} className="button">
          Settings
        </Link>
      }
    >
      <Loaded query={status}>
        {(loaded) => (
          <div className="project-sections">
            <Health project={id} status={loaded} />
            <Contents project={id} status={loaded} listed={project} />
            <StaleFlags project={id} stale={loaded.staleFlags} />
            {project === undefined ? null : <Access project={project} />}
            <RecentChanges project={id} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

interface SectionProps {
  readonly title: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

function Section({ title, isWide = false, children }: SectionProps) {
  return (
    <section
      className={isWide ? "card card-body project-wide" : "card card-body"}
      aria-label={title}
    >
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface StatusProps {
  readonly project: string;
  readonly status: ProjectStatus;
}

function Health({ status: { health, activeFlags, staleFlags } }: StatusProps) {
  const { markedCount, potentiallyStaleCount } = staleFlags;
  const percentage = health.current;
  return (
    <Section title="Health">
      <p className="project-number">
        {percentage} <span className="muted">%</span>
      </p>
      <meter
        className="project-meter"
        min={0}
        max={100}
        low={50}
        high={75}
        optimum={100}
        value={percentage}
        aria-label="Health"
        aria-valuetext={`${percentage} %`}
      />
      <p className="muted">
        {activeFlags.total === 0
          ? "There are no flags yet."
          : staleFlags.total === 0
            ? `None of ${describeCount(activeFlags.total, "flag")} needs to be cleaned up.`
            : `Of ${describeCount(activeFlags.total, "flag")}, ${formatCount(markedCount)} ${markedCount === 1 ? "is" : "are"} marked as stale, and ${formatCount(potentiallyStaleCount)} can probably be removed.`}
      </p>
    </Section>
  );
}

interface ContentsProps extends StatusProps {
  readonly listed: Project | undefined;
}

/** What the project contains, as links to it. */
function Contents({ project, status, listed }: ContentsProps) {
  const { activeFlags, resources, lifecycleSummary } = status;
  const { currentFlags, last30Days } = lifecycleSummary.archived;
  const params = { project };
  const changes = status.activityCountByDate.reduce((sum, day) => sum + day.count, 0);
  return (
    <Section title="Contents">
      <ul className="project-list">
        <li>
          <Link to="/projects/$project/flags" params={params}>
            {describeCount(activeFlags.total, "flag")}
          </Link>
          <span className="muted">
            {listed === undefined || listed.environments.length === 0
              ? ""
              : `in ${listed.environments.join(", ")}`}
          </span>
        </li>
        <li>
          <Link to="/projects/$project/archive" params={params}>
            {describeCount(currentFlags, "archived flag")}
          </Link>
          <span className="muted">{formatCount(last30Days)} in the last 30 days</span>
        </li>
        <li>
          <Link to="/projects/$project/settings" params={params}>
            {describeCount(resources.apiTokens, "API token")} and{" "}
            {describeCount(resources.segments, "segment")} of its own
          </Link>
        </li>
        <li>
          <Link to="/events" search={{ project }}>
            {describeCount(changes, "change")}
          </Link>
          <span className="muted">in the last year</span>
        </li>
      </ul>
    </Section>
  );
}

interface StaleFlagsProps {
  readonly project: string;
  readonly stale: ProjectStatus["staleFlags"];
}

/** The oldest flags that should be cleaned up. */
function StaleFlags({ project, stale: { total, oldest } }: StaleFlagsProps) {
  return (
    <Section title="Flags to clean up">
      {total === 0 ? (
        <p className="muted">
          Flags appear here when they are marked as stale, or applications no longer need them.
        </p>
      ) : (
        <>
          <ul className="project-list">
            {oldest.map(({ name, type, stale, createdAt }) => (
              <li key={name}>
                <Link to="/projects/$project/flags/$flag" params={{ project, flag: name }}>
                  {name}
                </Link>
                <span className="row muted">
                  {describeType(type).name}, created <Time value={createdAt} />
                  {stale ? <Badge kind="warning">stale</Badge> : null}
                </span>
              </li>
            ))}
          </ul>
          <p>
            <Link to="/projects/$project/cleanup" params={{ project }}>
              {total > oldest.length
                ? `Clean up all ${formatCount(total)}, of which these are the oldest`
                : "See why, and clean up"}
            </Link>
          </p>
        </>
      )}
    </Section>
  );
}

/** Who can see and change the project. */
function Access({ project }: { readonly project: Project }) {
  const members = useQuery(queries.projectMembers(project.id));
  const mode = PROJECT_MODES.find(({ id }) => id === project.mode);
  return (
    <Section title="Who can do what">
      <p>
        <Badge kind="accent">{mode?.label}</Badge> {mode?.description}
      </p>
      <Loaded query={members}>
        {(all) => (
          <>
            <MemberNames label="Owners" members={all.filter(({ roleId }) => roleId === 4)} />
            <MemberNames label="Members" members={all.filter(({ roleId }) => roleId !== 4)} />
            {all.length === 0 ? <p className="muted">Nobody has a role in this project.</p> : null}
          </>
        )}
      </Loaded>
      <p className="muted">
        Owners change flags, settings and access; members change flags. Admins can do everything.
      </p>
    </Section>
  );
}

/** How many names are shown. */
const MAX_NAMES = 10;

interface MemberNamesProps {
  readonly label: string;
  readonly members: readonly ProjectMember[];
}

function MemberNames({ label, members }: MemberNamesProps) {
  if (members.length === 0) return null;
  const names = members.slice(0, MAX_NAMES).map((member) => nameOfUser(member));
  const more = members.length - names.length;
  return (
    <p>
      <strong>{label}:</strong> {names.join(", ")}
      {more > 0 ? ` and ${formatCount(more)} more` : ""}
    </p>
  );
}

/** How many changes are shown. */
const MAX_CHANGES = 10;

function RecentChanges({ project }: { readonly project: string }) {
  const events = useInfiniteQuery(queries.events({ project }));
  return (
    <Section title="Recent changes" isWide>
      <Loaded query={events}>
        {({ pages }) => {
          const latest = pages.flatMap((page) => page.events).slice(0, MAX_CHANGES);
          return latest.length === 0 ? (
            <p className="muted">Nothing has changed yet.</p>
          ) : (
            <ul className="project-list">
              {latest.map((event) => (
                <li key={event.id}>
                  <span>{describeEvent(event)}</span>
                  <span className="muted">
                    <Time value={event.createdAt} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      <p>
        <Link to="/events" search={{ project }}>
          All changes of the project
        </Link>
      </p>
    </Section>
  );
}
