import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { ApiError } from "../api/request.ts";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { ApplicationEnvironments } from "./application-environments.tsx";
import { ApplicationFlags } from "./application-flags.tsx";
import { ApplicationStrategies } from "./application-strategies.tsx";
import { RemoveApplicationDialog } from "./remove-application-dialog.tsx";
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
