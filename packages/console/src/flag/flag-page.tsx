import { usePrefetchQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft, ExternalLink } from "lucide-react";
import { queries } from "../api/queries.ts";
import { ApiError } from "../api/request.ts";
import type { Flag } from "../api/types.ts";
import { EVENT_FIELDS } from "../app/list-fields.ts";
import { OpenRequests } from "../change-requests/open-requests.tsx";
import { describeStage } from "../cleanup/describe-stale.ts";
import { StaleNote } from "../cleanup/stale-note.tsx";
import { UseInCode } from "../code/use-in-code.tsx";
import { EventFilters } from "../events/event-filters.tsx";
import { EventList } from "../events/event-list.tsx";
import { FavoriteButton } from "../favorites/favorite-button.tsx";
import { useFavoriteFlag } from "../favorites/use-favorites.ts";
import { describeType } from "../flags/flag-types.ts";
import { openedFilter } from "../flags/opened-filters.ts";
import { OtherHits } from "../flags/other-hits.tsx";
import { RestoreMenu } from "../restore/restore-menu.tsx";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { LinkedText } from "../ui/linked-text.tsx";
import { Loaded, Loading } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Time } from "../ui/time.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { useListState } from "../ui/use-list-state.ts";
import { joinWithAnd } from "../ui/words.ts";
import { EnvironmentsTab } from "./environments-tab.tsx";
import { ExplainTab } from "./explain-tab.tsx";
import { FlagActions } from "./flag-actions.tsx";
import { FlagLinks } from "./flag-links.tsx";
import { FlagTags } from "./flag-tags.tsx";
import { UsageTab } from "./usage-tab.tsx";
import { useMissingFlag } from "./use-missing-flag.ts";
import "./flag.css";

const route = getRouteApi("/shell/projects/$project/flags/$flag");

/** A flag in all of its environments. */
export function FlagPage() {
  const { project, flag } = route.useParams();
  const query = useQuery(queries.flag(project, flag));
  // Their names are in the sentences about the flag.
  usePrefetchQuery(queries.segments());
  usePrefetchQuery(queries.strategyTypes());
  const isArchived = query.data?.archived ?? false;
  const isUnknown = query.error instanceof ApiError && query.error.status === 404;
  const isMissing = useMissingFlag(project, flag, isUnknown);
  const marking = useFavoriteFlag();
  return (
    <Page
      title={isMissing ? `There is no flag “${flag}”` : flag}
      above={
        isArchived ? (
          <Link to="/projects/$project/archive" params={{ project }} className="back-link">
            <ArrowLeft aria-hidden /> Archive
          </Link>
        ) : (
          <Link
            to="/projects/$project/flags"
            params={{ project }}
            search={openedFilter(project)}
            className="back-link"
          >
            <ArrowLeft aria-hidden /> All flags
          </Link>
        )
      }
      besideTitle={
        isMissing ? undefined : (
          <>
            <CopyButton label="Copy the name" text={flag} />
            {query.data === undefined ? null : (
              <FavoriteButton
                name={flag}
                isFavorite={query.data.favorite}
                onChange={(isFavorite) => marking.mutate({ project, flag, isFavorite })}
              />
            )}
          </>
        )
      }
      actions={
        isUnknown || query.data === undefined ? undefined : (
          <>
            {isArchived ? null : <UseInCode flag={query.data} />}
            <FlagActions flag={query.data} />
          </>
        )
      }
    >
      {isMissing ? (
        <MissingFlag project={project} flag={flag} />
      ) : isUnknown ? (
        <Loading />
      ) : (
        <Loaded query={query}>
          {(loaded) => (
            <>
              {loaded.archived ? <ArchivedNote flag={loaded} /> : null}
              <FlagDetails flag={loaded} />
              <StaleNote flag={loaded} />
              <OpenRequests project={project} flag={flag} />
              <FlagTabs key={loaded.name} flag={loaded} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

function ArchivedNote({ flag: { archivedAt } }: { readonly flag: Flag }) {
  return (
    <Banner kind="info">
      This flag was archived
      {archivedAt === undefined ? (
        ""
      ) : (
        <>
          {" "}
          <Time value={archivedAt} />
        </>
      )}
      . Applications treat it as off. Revive it to change it.
    </Banner>
  );
}

interface MissingFlagProps {
  readonly project: string;
  readonly flag: string;
}

function MissingFlag({ project, flag }: MissingFlagProps) {
  return (
    <>
      <p>
        The address may be misspelt, or somebody has deleted the flag.{" "}
        <Link to="/projects/$project/flags" params={{ project }}>
          Go to the flags
        </Link>
      </p>
      <OtherHits text={flag} project={project} isArchive={false} />
    </>
  );
}

const TABS = ["environments", "usage", "history", "explain"] as const;

function FlagTabs({ flag }: { readonly flag: Flag }) {
  const { tab } = route.useSearch();
  const navigate = useNavigate();
  const { project, name } = flag;
  const address = { project, flag: name };
  return (
    <Tabs
      label="Parts of the flag"
      selected={TABS.find((id) => id === tab) ?? "environments"}
      onSelect={(id) =>
        void navigate({
          to: "/projects/$project/flags/$flag",
          params: address,
          search: id === "environments" ? {} : { tab: id },
          replace: true,
        })
      }
      tabs={[
        {
          id: "environments",
          label: "Environments",
          content: () => <EnvironmentsTab flag={flag} />,
        },
        { id: "usage", label: "Usage", content: () => <UsageTab flag={name} /> },
        { id: "history", label: "History", content: () => <HistoryTab flag={flag} /> },
        // Nothing evaluates an archived flag.
        ...(flag.archived
          ? []
          : [
              {
                id: "explain" as const,
                label: "Explain",
                content: () => <ExplainTab {...address} />,
              },
            ]),
      ]}
    />
  );
}

/** The type of the tags that say who is responsible for a flag. */
const OWNER = "owner";

/** What a flag is for, who created it and who is responsible for it, its tags and links. */
function FlagDetails({ flag }: { readonly flag: Flag }) {
  const { type, description, stale, createdAt, createdBy, impressionData, tags } = flag;
  const { archived, lifecycle } = flag;
  const owners = tags.filter((tag) => tag.type === OWNER).map(({ value }) => value);
  return (
    <div className="flag-details">
      {description === null || description === "" ? null : (
        <p className="flag-purpose">
          <LinkedText text={description} />
        </p>
      )}
      <p className="row muted">
        <Badge kind="accent">{describeType(type).name}</Badge>
        {stale ? <Badge kind="warning">Stale: can be removed from the code</Badge> : null}
        {impressionData ? <Badge>Impression data</Badge> : null}
        <span>
          Created <Time value={createdAt} /> by {createdBy.name}
        </span>
        {archived ? null : <Badge>{describeStage(lifecycle)}</Badge>}
        {owners.length === 0 ? null : <span>Owned by {joinWithAnd(owners)}</span>}
      </p>
      <FlagTags flag={flag} />
      <ProjectLinks links={flag.projectLinks} />
      <FlagLinks flag={flag} />
    </div>
  );
}

/** The links that every flag of the project has. */
function ProjectLinks({ links }: { readonly links: Flag["projectLinks"] }) {
  if (links.length === 0) return null;
  return (
    <ul className="project-links" aria-label="Links of the project">
      {links.map(({ title, url }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- two can be equal
        <li key={index}>
          <a href={url} target="_blank" rel="noopener noreferrer">
            <ExternalLink aria-hidden /> {title ?? url}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The recorded changes of a flag. */
function HistoryTab({ flag }: { readonly flag: Flag }) {
  const [{ pages, ...criteria }, changeList] = useListState(EVENT_FIELDS);
  const filter = {
    ...criteria,
    feature: flag.name,
    project: "",
    query: useDebounced(criteria.query),
    createdBy: useDebounced(criteria.createdBy),
  };
  return (
    <div className="stack">
      <EventFilters
        isGlobal={false}
        criteria={criteria}
        onChange={(next) => changeList({ ...next, pages: "" })}
      />
      <EventList
        filter={filter}
        actions={(event) => <RestoreMenu flag={flag} event={event} />}
        pages={pages}
        onPages={(next) => changeList({ pages: next })}
      />
    </div>
  );
}
