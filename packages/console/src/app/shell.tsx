import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  Link,
  Outlet,
  useLocation,
  useMatches,
  useNavigate,
  useParams,
} from "@tanstack/react-router";
import {
  Activity,
  Archive,
  ArrowRightLeft,
  Bell,
  Boxes,
  ChevronRight,
  CircleUser,
  Flag,
  GitPullRequestArrow,
  Layers,
  FlaskConical,
  Filter,
  FolderKanban,
  KeyRound,
  LayoutDashboard,
  ListTree,
  Menu as MenuIcon,
  MonitorSmartphone,
  Recycle,
  Server,
  Settings,
  Tag,
  Users,
} from "lucide-react";
import { type ComponentType, useEffect, useState } from "react";
import { changeRequestQueries } from "../api/change-request-queries.ts";
import { notificationQueries } from "../api/notification-queries.ts";
import { queries } from "../api/queries.ts";
import { Confirmations } from "../changes/confirmations.tsx";
import { followChanges } from "../changes/live-changes.ts";
import { problemOf } from "../notifications/notification-problem.ts";
import { sessionQuery, signOut, useHasRole, useHasSessionEnded } from "../session/session.ts";
import { IconButton } from "../ui/button.tsx";
import { describeError } from "../ui/describe-error.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Menu } from "../ui/menu.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Select } from "../ui/select.tsx";
import { showToast } from "../ui/toast.tsx";
import { ConnectionStatus } from "./connection-status.tsx";
import { MissingProject } from "./errors.tsx";
import { Palette } from "./palette.tsx";
import {
  applyTheme,
  readTheme,
  rememberedProject,
  rememberProject,
  type Theme,
} from "./remembered-choices.ts";
import "./shell.css";

const SignInAgain = lazyPart(
  async () => (await import("../session/sign-in-again.tsx")).SignInAgain,
);

/** The header, the navigation and the opened page. */
export function Shell() {
  const client = useQueryClient();
  // Whether changes have to be confirmed: see `useAsksBeforeChange()`.
  useQuery(queries.environments());
  const hasEnded = useHasSessionEnded();
  const location = useLocation();
  const [isMenuOpen, setMenuOpen] = useState(false);

  useEffect(() => {
    if (hasEnded) return undefined;
    const closing = new AbortController();
    followChanges(client, closing.signal);
    return () => closing.abort();
  }, [client, hasEnded]);
  useEffect(() => setMenuOpen(false), [location.pathname]);

  return (
    <div className="shell">
      <a href="#content" className="skip-link">
        Skip to the content
      </a>
      <header className="shell-header">
        <IconButton
          label={isMenuOpen ? "Close the navigation" : "Open the navigation"}
          aria-expanded={isMenuOpen}
          onPress={() => setMenuOpen(!isMenuOpen)}
        >
          <MenuIcon aria-hidden />
        </IconButton>
        <Link to="/" className="brand">
          <img src="./icon.svg" alt="" width="26" height="26" />
          flags
        </Link>
        <ProjectPicker />
        <Palette project={useProject()} pages={[...COMMON, ...useAdministration()]} />
        <ProblemLink />
        <WaitingLink />
        <UserMenu />
      </header>
      <nav className={isMenuOpen ? "shell-nav shell-nav-open" : "shell-nav"} aria-label="Pages">
        <ProjectLinks />
        <CommonLinks />
        <AdministrationLinks />
      </nav>
      <div className="shell-content">
        <ConnectionStatus />
        <OpenedPage />
      </div>
      <Confirmations />
      {hasEnded ? <SignInAgain /> : null}
    </div>
  );
}

/** The page, unless it belongs to a project that does not exist. */
function OpenedPage() {
  const { project } = useParams({ strict: false });
  const { data: projects, isFetching } = useQuery(queries.projects());
  const isListed = projects?.some(({ id }) => id === project) ?? true;
  if (project === undefined || isListed || isFetching) return <Outlet />;
  return <MissingProject project={project} />;
}

/** The project of the opened page, or the one that was opened before. */
function useProject(): string {
  const { project } = useParams({ strict: false });
  const { data: projects } = useQuery(queries.projects());
  const exists = (id: string | null | undefined): boolean =>
    projects?.some((entry) => entry.id === id) ?? false;
  const isKnown = exists(project);
  useEffect(() => {
    if (project !== undefined && isKnown) rememberProject(project);
  }, [project, isKnown]);
  const remembered = rememberedProject();
  if (project !== undefined && (projects === undefined || isKnown)) return project;
  if (remembered !== null && (projects === undefined || exists(remembered))) return remembered;
  return projects?.[0]?.id ?? "default";
}

function ProjectPicker() {
  const { data: projects = [] } = useQuery(queries.projects());
  const navigate = useNavigate();
  const project = useProject();
  return (
    <Select
      label="Project"
      hidesLabel
      choices={projects.map(({ id, name }) => ({ id, label: name }))}
      value={project}
      onChange={(id) => void navigate({ to: "/projects/$project/flags", params: { project: id } })}
    />
  );
}

interface NavEntry {
  readonly to: string;
  readonly label: string;
  readonly Icon: ComponentType;
}

const PROJECT_PAGES = [
  { to: "/projects/$project", label: "Overview", Icon: LayoutDashboard },
  { to: "/projects/$project/flags", label: "Flags", Icon: Flag },
  { to: "/projects/$project/change-requests", label: "Change requests", Icon: GitPullRequestArrow },
  { to: "/projects/$project/cleanup", label: "Clean up", Icon: Recycle },
  { to: "/projects/$project/archive", label: "Archive", Icon: Archive },
  { to: "/projects/$project/transfer", label: "Import and export", Icon: ArrowRightLeft },
  { to: "/projects/$project/settings", label: "Project settings", Icon: Settings },
] as const satisfies readonly NavEntry[];

function ProjectLinks() {
  const project = useProject();
  const { data: projects } = useQuery(queries.projects());
  const name = projects?.find(({ id }) => id === project)?.name ?? project;
  return (
    <section aria-labelledby="nav-project">
      <h2 id="nav-project">{name}</h2>
      <ul>
        {PROJECT_PAGES.map(({ to, label, Icon }) => (
          <li key={to}>
            <Link
              to={to}
              params={{ project }}
              activeOptions={{ exact: to === "/projects/$project" }}
              className="nav-link"
            >
              <Icon aria-hidden /> {label}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function useWaitingCount(): number {
  const { data = 0 } = useQuery(changeRequestQueries.waitingCount());
  return data;
}

/** How many change requests wait for the user, in the navigation. */
function WaitingCount() {
  const count = useWaitingCount();
  return count === 0 ? null : (
    <span className="nav-count">
      {count}
      <span className="visually-hidden"> waiting for you</span>
    </span>
  );
}

/** How many notifications do not arrive. Only admins are told. */
function useProblemCount(): number {
  const isAdmin = useHasRole("admin");
  const { data } = useQuery({ ...notificationQueries.all(), enabled: isAdmin });
  return data?.addons.filter((addon) => problemOf(addon) !== undefined).length ?? 0;
}

function ProblemCount() {
  const count = useProblemCount();
  return count === 0 ? null : (
    <span className="nav-count nav-count-problem">
      {count}
      <span className="visually-hidden"> not working</span>
    </span>
  );
}

/** The same on every page, also where the navigation is closed. */
function ProblemLink() {
  const count = useProblemCount();
  if (count === 0) return null;
  return (
    <Link
      to="/notifications"
      className="waiting-link"
      aria-label={`${describeCount(count, "notification")} not working`}
    >
      <Bell aria-hidden />
      <span className="nav-count nav-count-problem">{count}</span>
    </Link>
  );
}

/** The same on every page, also where the navigation is closed. */
function WaitingLink() {
  const count = useWaitingCount();
  if (count === 0) return null;
  const verb = count === 1 ? "waits" : "wait";
  return (
    <Link
      to="/change-requests"
      className="waiting-link"
      aria-label={`${describeCount(count, "change request")} ${verb} for you`}
    >
      <GitPullRequestArrow aria-hidden />
      <span className="nav-count">{count}</span>
    </Link>
  );
}

const COMMON = [
  { to: "/projects", label: "Projects", Icon: FolderKanban },
  { to: "/flags", label: "Flags of all projects", Icon: Layers },
  { to: "/change-requests", label: "All requests", Icon: GitPullRequestArrow },
  { to: "/cleanup", label: "Flags to clean up", Icon: Recycle },
  { to: "/playground", label: "Playground", Icon: FlaskConical },
  { to: "/segments", label: "Segments", Icon: Filter },
  { to: "/events", label: "Events", Icon: Activity },
] as const satisfies readonly NavEntry[];

const ADMINISTRATION = [
  { to: "/environments", label: "Environments", Icon: Server },
  { to: "/context-fields", label: "Context fields", Icon: ListTree },
  { to: "/tags", label: "Tags", Icon: Tag },
  { to: "/applications", label: "Applications", Icon: Boxes },
  { to: "/users", label: "Users", Icon: Users },
  { to: "/tokens", label: "API tokens", Icon: KeyRound },
  { to: "/notifications", label: "Notifications", Icon: Bell },
  { to: "/sessions", label: "Sessions", Icon: MonitorSmartphone },
] as const satisfies readonly NavEntry[];

/** The pages for administration that the user may open. */
function useAdministration(): readonly (typeof ADMINISTRATION)[number][] {
  const isAdmin = useHasRole("admin");
  return ADMINISTRATION.filter(({ to }) => isAdmin || to !== "/notifications");
}

function CommonLinks() {
  return (
    <section aria-labelledby="nav-common">
      <h2 id="nav-common">All projects</h2>
      <ul>
        {COMMON.map((entry) => (
          <CommonLink key={entry.to} {...entry} />
        ))}
      </ul>
    </section>
  );
}

/** Closed unless the opened page is one of them, because few people need these pages, and rarely. */
function AdministrationLinks() {
  const pages = useAdministration();
  const opened = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? "" });
  return (
    <details open={pages.some(({ to }) => opened.startsWith(to))}>
      <summary>
        <ChevronRight aria-hidden /> Administration
      </summary>
      <ul aria-label="Administration">
        {pages.map((entry) => (
          <CommonLink key={entry.to} {...entry} />
        ))}
      </ul>
    </details>
  );
}

type CommonPage = (typeof ADMINISTRATION | typeof COMMON)[number];

function CommonLink({ to, label, Icon }: CommonPage) {
  return (
    <li>
      <Link to={to} activeOptions={{ exact: to === "/projects" }} className="nav-link">
        <Icon aria-hidden /> {label}
        {to === "/change-requests" ? <WaitingCount /> : null}
        {to === "/notifications" ? <ProblemCount /> : null}
      </Link>
    </li>
  );
}

const THEMES: readonly { readonly theme: Theme; readonly label: string }[] = [
  { theme: "system", label: "System theme" },
  { theme: "light", label: "Light theme" },
  { theme: "dark", label: "Dark theme" },
];

function UserMenu() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const [theme, setTheme] = useState(readTheme);
  useEffect(() => applyTheme(theme), [theme]);

  const leave = async (): Promise<void> => {
    try {
      await signOut();
    } catch (error) {
      showToast({ kind: "error", text: `You are still signed in. ${describeError(error)}` });
      return;
    }
    await navigate({ to: "/sign-in" });
    client.clear();
  };
  const entries = [
    { label: "Your account", run: () => void navigate({ to: "/profile" }) },
    ...THEMES.filter((entry) => entry.theme !== theme).map((entry) => ({
      label: entry.label,
      run: () => setTheme(entry.theme),
    })),
    { label: "Sign out", run: () => void leave() },
  ];
  return (
    <div className="user-menu">
      {session ? (
        <Link to="/profile" className="user-name">
          {session.user.name} <span className="muted">({session.role})</span>
        </Link>
      ) : null}
      <Menu
        {...(session
          ? { groups: [{ heading: `${session.user.name} (${session.role})`, entries }] }
          : { entries })}
      >
        <IconButton label="Account">
          <CircleUser aria-hidden />
        </IconButton>
      </Menu>
    </div>
  );
}
