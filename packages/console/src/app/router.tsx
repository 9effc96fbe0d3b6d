import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { type ContextSearch, parseContextSearch } from "../playground/context.ts";
import { parsePlaygroundSearch } from "../playground/context-address.ts";
import { ProjectsPage } from "../projects/projects-page.tsx";
import { FlagsPage } from "../flags/flags-page.tsx";
import { ArchivePage } from "../flags/archive-page.tsx";
import { FlagPage } from "../flag/flag-page.tsx";
import { ProjectSettingsPage } from "../projects/project-settings-page.tsx";
import { TransferPage } from "../transfer/transfer-page.tsx";
import { PlaygroundPage } from "../playground/playground-page.tsx";
import { SegmentsPage } from "../segments/segments-page.tsx";
import { ContextFieldsPage } from "../context-fields/context-fields-page.tsx";
import { EnvironmentsPage } from "../environments/environments-page.tsx";
import { TagsPage } from "../tags/tags-page.tsx";
import { SessionsPage } from "../sessions/sessions-page.tsx";
import { ProfilePage } from "../profile/profile-page.tsx";
import { UsersPage } from "../users/users-page.tsx";
import { TokensPage } from "../tokens/tokens-page.tsx";
import { ApplicationsPage } from "../applications/applications-page.tsx";
import { ApplicationPage } from "../applications/application-page.tsx";
import { EventsPage } from "../events/events-page.tsx";
import { NewUserPage, ResetPasswordPage } from "../session/choose-password-page.tsx";
import { openLink } from "../session/opened-link.ts";
import { isSignedOut, sessionQuery } from "../session/session.ts";
import { SetupPage } from "../session/setup-page.tsx";
import { SignInPage } from "../session/sign-in-page.tsx";
import { NotFound, RouteError } from "./errors.tsx";
import { rememberedProject } from "./remembered-choices.ts";
import { Shell } from "./shell.tsx";

interface RouterContext {
  readonly client: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  errorComponent: RouteError,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ returnTo, problem }): { returnTo?: string; problem?: string } => ({
    ...(typeof returnTo === "string" && { returnTo }),
    ...(typeof problem === "string" && { problem }),
  }),
  component: SignInPage,
});

const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  beforeLoad: ({ location }) => openLink("/setup", location),
  component: SetupPage,
});

const newUser = createRoute({
  getParentRoute: () => root,
  path: "/new-user",
  beforeLoad: ({ location }) => openLink("/new-user", location),
  component: NewUserPage,
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: "/reset-password",
  beforeLoad: ({ location }) => openLink("/reset-password", location),
  component: ResetPasswordPage,
});

/** The frame of all pages for people who have signed in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  beforeLoad: async ({ context: { client }, location }) => {
    await client.ensureQueryData(sessionQuery).catch((error: unknown) => {
      if (!isSignedOut(error)) throw error;
      redirect({ to: "/sign-in", search: { returnTo: location.href }, throw: true });
    });
  },
});

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  beforeLoad: async ({ context: { client } }) => {
    const { projects } = await client.ensureQueryData(queries.projects());
    const project = projects.find(({ id }) => id === rememberedProject()) ?? projects[0];
    if (project === undefined) redirect({ to: "/projects", throw: true });
    else {
      redirect({ to: "/projects/$project/flags", params: { project: project.id }, throw: true });
    }
  },
});

const projects = createRoute({
  getParentRoute: () => shell,
  path: "/projects",
  component: ProjectsPage,
});

const flags = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/flags",
  component: FlagsPage,
});

const archive = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/archive",
  component: ArchivePage,
});

const flag = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/flags/$flag",
  validateSearch: ({ tab, ...search }): { tab?: string } & ContextSearch => ({
    ...(typeof tab === "string" && { tab }),
    ...parseContextSearch(search),
  }),
  component: FlagPage,
});

const projectSettings = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/settings",
  component: ProjectSettingsPage,
});

const transfer = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/transfer",
  component: TransferPage,
});

const playground = createRoute({
  getParentRoute: () => shell,
  path: "/playground",
  validateSearch: parsePlaygroundSearch,
  component: PlaygroundPage,
});

const segments = createRoute({
  getParentRoute: () => shell,
  path: "/segments",
  component: SegmentsPage,
});

const contextFields = createRoute({
  getParentRoute: () => shell,
  path: "/context-fields",
  component: ContextFieldsPage,
});

const environments = createRoute({
  getParentRoute: () => shell,
  path: "/environments",
  component: EnvironmentsPage,
});

const tags = createRoute({
  getParentRoute: () => shell,
  path: "/tags",
  component: TagsPage,
});

const tokens = createRoute({
  getParentRoute: () => shell,
  path: "/tokens",
  component: TokensPage,
});

const users = createRoute({
  getParentRoute: () => shell,
  path: "/users",
  component: UsersPage,
});

const profile = createRoute({
  getParentRoute: () => shell,
  path: "/profile",
  component: ProfilePage,
});

const sessions = createRoute({
  getParentRoute: () => shell,
  path: "/sessions",
  component: SessionsPage,
});

const applications = createRoute({
  getParentRoute: () => shell,
  path: "/applications",
  component: ApplicationsPage,
});

const application = createRoute({
  getParentRoute: () => shell,
  path: "/applications/$application",
  component: ApplicationPage,
});

const events = createRoute({
  getParentRoute: () => shell,
  path: "/events",
  component: EventsPage,
});

/** Every other address. */
const unknown = createRoute({
  getParentRoute: () => shell,
  path: "$",
  component: NotFound,
});

const tree = root.addChildren([
  signIn,
  setup,
  newUser,
  resetPassword,
  shell.addChildren([
    home,
    projects,
    flags,
    archive,
    flag,
    projectSettings,
    transfer,
    playground,
    segments,
    contextFields,
    environments,
    tags,
    tokens,
    users,
    profile,
    sessions,
    applications,
    application,
    events,
    unknown,
  ]),
]);

/** The pages of the console, below the address of the service. */
export function createConsoleRouter(client: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: new URL(document.baseURI).pathname,
    context: { client },
    defaultPreload: "intent",
    defaultErrorComponent: RouteError,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
