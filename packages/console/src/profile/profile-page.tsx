import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queries } from "../api/queries.ts";
import { type Session, sessionQuery } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { ChangePassword } from "./change-password.tsx";
import { OwnSessions } from "./own-sessions.tsx";
import { PersonalTokens } from "./personal-tokens.tsx";
import "./profile.css";

/** Who is signed in, and what they can do with their own account. */
export function ProfilePage() {
  const { data: session } = useQuery(sessionQuery);
  const profile = useQuery(queries.ownProfile());
  return (
    <Page
      title="Your account"
      description="Who you are in this service, and with what you have signed in."
    >
      {session === undefined ? null : (
        <Loaded query={profile}>
          {({ projects, canChangePassword, rootRole }) => (
            <>
              <Identity session={session} projects={projects} role={rootRole.description} />
              {session.user.kind === "token" ? null : (
                <>
                  {canChangePassword ? <ChangePassword /> : null}
                  <PersonalTokens />
                </>
              )}
              <OwnSessions />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

interface IdentityProps {
  readonly session: Session;
  /** Ids of the projects in which the user has a role. */
  readonly projects: readonly string[];
  /** What the role allows. */
  readonly role: string;
}

function Identity({ session, projects, role }: IdentityProps) {
  const { data: account } = useQuery(queries.ownAccount());
  const { data: all } = useQuery(queries.projects());
  const { name, kind, issuer } = session.user;
  return (
    <section className="profile-section" aria-labelledby="profile-heading">
      <h2 id="profile-heading">{name}</h2>
      <dl className="profile-facts">
        <Fact name="Role">
          <Badge>{session.role}</Badge> <span className="muted">{role}</span>
        </Fact>
        {kind === "user" && account?.username ? (
          <Fact name="User name">{account.username}</Fact>
        ) : null}
        {account?.email ? <Fact name="Email address">{account.email}</Fact> : null}
        <Fact name="Signed in with">{describeKind(kind, issuer)}</Fact>
        {kind === "token" ? null : (
          <Fact name="Roles in projects">
            {projects.length === 0 ? (
              <span className="muted">none: your role is the same in all projects</span>
            ) : (
              <ul className="profile-projects">
                {projects.map((id) => (
                  <li key={id}>
                    <Link to="/projects/$project/settings" params={{ project: id }}>
                      {all?.find((project) => project.id === id)?.name ?? id}
                    </Link>
                  </li>
                ))}
              </ul>
            )}
          </Fact>
        )}
      </dl>
      {kind === "token" ? (
        <p className="muted">
          You have no account of your own: everybody who has this token is the same user. Ask an
          admin for an account, so that events name you.
        </p>
      ) : null}
    </section>
  );
}

function describeKind(kind: Session["user"]["kind"], issuer: string | null): string {
  switch (kind) {
    case "token":
      return "an API token";
    case "user":
      return "a password";
    default:
      return `OpenID Connect, ${issuer ?? ""}`;
  }
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
