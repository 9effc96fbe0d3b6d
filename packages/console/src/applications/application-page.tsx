import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, ApiError, request } from "../api/request.ts";
import type { ApplicationDetails, ApplicationOverview } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { describeType } from "../flags/flag-types.ts";
import { useHasRole } from "../session/session.ts";
import { describeStrategyType } from "../strategies/strategy-labels.ts";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Page } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import "./applications.css";

const route = getRouteApi("/shell/applications/$application");

/** An application: where it runs, and what it uses. */
export function ApplicationPage() {
  const { application } = route.useParams();
  const details = useQuery(queries.application(application));
  const overview = useQuery(queries.applicationOverview(application));
  const isAdmin = useHasRole("admin");
  const [isRemoving, setRemoving] = useState(false);
  const isMissing = details.error instanceof ApiError && details.error.status === 404;
  return (
    <Page
      title={application}
      above={
        <Link to="/applications" className="back-link">
          <ArrowLeft aria-hidden /> All applications
        </Link>
      }
      actions={
        isAdmin && details.data !== undefined ? (
          <Button onPress={() => setRemoving(true)}>Remove</Button>
        ) : undefined
      }
    >
      {isMissing ? (
        <p>
          No application with this name has registered, or it has not been seen for a long time.
        </p>
      ) : (
        <Loaded query={details}>
          {(loaded) => (
            <>
              <Loaded query={overview}>
                {({ environments }) => (
                  <ApplicationEnvironments
                    environments={environments}
                    instances={loaded.instances}
                  />
                )}
              </Loaded>
              <ApplicationFlags flags={loaded.seenToggles} />
              <ApplicationStrategies
                strategies={loaded.strategies}
                missing={overview.data?.issues.missingStrategies ?? []}
              />
            </>
          )}
        </Loaded>
      )}
      {isRemoving ? (
        <RemoveApplicationDialog name={application} onClose={() => setRemoving(false)} />
      ) : null}
    </Page>
  );
}

type Environment = ApplicationOverview["environments"][number];
type Instance = ApplicationDetails["instances"][number];

interface ApplicationEnvironmentsProps {
  readonly environments: readonly Environment[];
  readonly instances: readonly Instance[];
}

/** Where an application runs, and its instances. */
function ApplicationEnvironments({ environments, instances }: ApplicationEnvironmentsProps) {
  return (
    <div className="application-environments">
      {environments.map((environment) => (
        <EnvironmentCard
          key={environment.name}
          environment={environment}
          instances={instances.filter((one) => one.environment === environment.name)}
        />
      ))}
    </div>
  );
}

/** How many instances are listed at first. */
const SHOWN_INSTANCES = 5;

interface EnvironmentCardProps {
  readonly environment: Environment;
  readonly instances: readonly Instance[];
}

function EnvironmentCard({ environment, instances }: EnvironmentCardProps) {
  const { name, sdks, lastSeen } = environment;
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? instances : instances.slice(0, SHOWN_INSTANCES);
  return (
    <section className="card card-body" aria-label={name}>
      <h2>{name}</h2>
      <p className="muted">
        {describeCount(instances.length, "instance")}, last report <Time value={lastSeen} />
        {sdks.length === 0 ? "" : `, ${sdks.join(", ")}`}
      </p>
      {instances.length === 0 ? null : (
        <ul className="application-list">
          {shown.map((instance) => (
            <li key={instance.instanceId}>
              <span>{instance.instanceId}</span>
              <span className="muted">
                {instance.sdkVersion === null ? "" : `${instance.sdkVersion}, `}
                <Time value={instance.lastSeen} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {instances.length > SHOWN_INSTANCES ? (
        <div>
          <Button size="small" onPress={() => setShowsAll(!showsAll)}>
            {showsAll
              ? "Show fewer instances"
              : `Show all ${describeCount(instances.length, "instance")}`}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

interface ApplicationFlagsProps {
  readonly flags: ApplicationDetails["seenToggles"];
}

/** The flags that an application has evaluated, the ones that it does not receive first. */
function ApplicationFlags({ flags }: ApplicationFlagsProps) {
  const missing = flags.filter((flag) => isMissing(flag));
  const others = flags.filter((flag) => !isMissing(flag));
  return (
    <section className="card card-body" aria-label="Flags">
      <h2>Flags</h2>
      {flags.length === 0 ? (
        <p className="muted">
          The application has not reported any evaluation recently. SDKs report about once a minute.
        </p>
      ) : (
        <p className="muted">It has recently evaluated {describeCount(flags.length, "flag")}.</p>
      )}
      {missing.length === 0 ? null : (
        <Banner kind="info">
          It asks for {describeCount(missing.length, "flag")} that{" "}
          {missing.length === 1 ? "does" : "do"} not exist, and treats{" "}
          {missing.length === 1 ? "it" : "them"} as off, or as the default in its code. Check the
          spelling, create or revive the flag, or remove it from the code.
        </Banner>
      )}
      <ul className="application-list">
        {[...missing, ...others].map((flag) => (
          <li key={flag.name}>
            {"notFound" in flag ? (
              <>
                <span>{flag.name}</span>
                <Badge kind="warning">does not exist</Badge>
              </>
            ) : (
              <>
                <Link
                  to="/projects/$project/flags/$flag"
                  params={{ project: flag.project, flag: flag.name }}
                  search={flag.archivedAt === undefined ? { tab: "usage" } : {}}
                >
                  {flag.name}
                </Link>
                <span className="row muted">
                  {flag.project} · {describeType(flag.type ?? "").name}
                  {flag.archivedAt === undefined ? null : (
                    <Badge kind="warning">
                      archived <Time value={flag.archivedAt} />
                    </Badge>
                  )}
                </span>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

type SeenFlag = ApplicationDetails["seenToggles"][number];

/** SDKs do not receive archived flags. */
function isMissing(flag: SeenFlag): boolean {
  return "notFound" in flag || flag.archivedAt !== undefined;
}

interface ApplicationStrategiesProps {
  /** The strategy types that the SDK of the application knows. */
  readonly strategies: readonly string[];
  /** The ones among them that this service does not know. */
  readonly missing: readonly string[];
}

function ApplicationStrategies({ strategies, missing }: ApplicationStrategiesProps) {
  if (strategies.length === 0) return null;
  return (
    <section className="card card-body" aria-label="Strategies">
      <h2>Strategies</h2>
      <p className="muted">The types of strategies that the application can evaluate.</p>
      <div className="row">
        {strategies.map((name) => (
          <Badge key={name} kind={missing.includes(name) ? "warning" : "neutral"}>
            {describeStrategyType(name, []).name}
          </Badge>
        ))}
      </div>
      {missing.length === 0 ? null : (
        <Banner kind="info">
          This service has no strategy type {missing.join(", ")}, so flags cannot use it. Create it
          with <code>POST /api/admin/strategies</code>.
        </Banner>
      )}
    </section>
  );
}

interface RemoveApplicationDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Removes an application that no longer runs. */
function RemoveApplicationDialog({ name, onClose }: RemoveApplicationDialogProps) {
  const navigate = useNavigate();
  const removal = useChange({
    run: () => request(adminPath`/metrics/applications/${name}`, { method: "DELETE" }),
    // Does not reload the page of the application, which is left first and would only get a 404.
    invalidates: [["applications", "list"]],
    success: () => `Removed the application ${name}`,
    showsErrors: true,
  });
  return (
    <ConfirmDialog
      title={`Remove the application ${name}?`}
      submit="Remove"
      isPending={removal.isPending}
      error={removal.error}
      onClose={onClose}
      onConfirm={() =>
        removal.mutate(undefined, { onSuccess: () => void navigate({ to: "/applications" }) })
      }
    >
      <p>
        The application and its instances disappear from this list. Its tokens and flags stay as
        they are. If it still runs, it reappears the next time it registers.
      </p>
    </ConfirmDialog>
  );
}
