import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate, useParams } from "@tanstack/react-router";
import {
  Activity,
  Archive,
  ArrowRightLeft,
  Bell,
  Boxes,
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
        <Palette project={useProject()} pages={useCommonPages()} />
        <ProblemLink />
        <WaitingLink />
        <UserMenu />
      </header>
      <nav className={isMenuOpen ? "shell-nav shell-nav-open" : "shell-nav"} aria-label="Pages">
        <ProjectLinks />
        <CommonLinks />
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

function ProjectLinks() {
  const params = { project: useProject() };
  return (
    <ul>
      <li>
        <Link
          to="/projects/$project"
          params={params}
          activeOptions={{ exact: true }}
          className="nav-link"
        >
          <LayoutDashboard aria-hidden /> Overview
        </Link>
      </li>
      <li>
        <Link to="/projects/$project/flags" params={params} className="nav-link">
          <Flag aria-hidden /> Flags
        </Link>
      </li>
      <li>
        <Link to="/projects/$project/cleanup" params={params} className="nav-link">
          <Recycle aria-hidden /> Clean up
        </Link>
      </li>
      <li>
        <Link to="/projects/$project/archive" params={params} className="nav-link">
          <Archive aria-hidden /> Archive
        </Link>
      </li>
      <li>
        <Link to="/projects/$project/change-requests" params={params} className="nav-link">
          <GitPullRequestArrow aria-hidden /> Change requests
        </Link>
      </li>
      <li>
        <Link to="/projects/$project/transfer" params={params} className="nav-link">
          <ArrowRightLeft aria-hidden /> Import and export
        </Link>
      </li>
      <li>
        <Link to="/projects/$project/settings" params={params} className="nav-link">
          <Settings aria-hidden /> Project settings
        </Link>
      </li>
    </ul>
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
  { to: "/flags", label: "Flags of all projects", Icon: Layers },
  { to: "/cleanup", label: "Flags to clean up", Icon: Recycle },
  { to: "/change-requests", label: "All requests", Icon: GitPullRequestArrow },
  { to: "/playground", label: "Playground", Icon: FlaskConical },
  { to: "/segments", label: "Segments", Icon: Filter },
  { to: "/context-fields", label: "Context fields", Icon: ListTree },
  { to: "/tags", label: "Tags", Icon: Tag },
  { to: "/environments", label: "Environments", Icon: Server },
  { to: "/projects", label: "Projects", Icon: FolderKanban },
  { to: "/applications", label: "Applications", Icon: Boxes },
  { to: "/users", label: "Users", Icon: Users },
  { to: "/tokens", label: "API tokens", Icon: KeyRound },
  { to: "/notifications", label: "Notifications", Icon: Bell },
  { to: "/sessions", label: "Sessions", Icon: MonitorSmartphone },
  { to: "/events", label: "Events", Icon: Activity },
] as const satisfies readonly { to: string; label: string; Icon: ComponentType }[];

const COMMON_WITHOUT_ADMIN = COMMON.filter(({ to }) => to !== "/notifications");

/** The pages that are not about one project. */
function useCommonPages(): readonly (typeof COMMON)[number][] {
  return useHasRole("admin") ? COMMON : COMMON_WITHOUT_ADMIN;
}

function CommonLinks() {
  return (
    <ul aria-label="All projects">
      {useCommonPages().map(({ to, label, Icon }) => (
        <li key={to}>
          <Link to={to} activeOptions={{ exact: to === "/projects" }} className="nav-link">
            <Icon aria-hidden /> {label}
            {to === "/change-requests" ? <WaitingCount /> : null}
            {to === "/notifications" ? <ProblemCount /> : null}
          </Link>
        </li>
      ))}
    </ul>
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
