import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { parseContextSearch } from "../playground/context.ts";
import { parsePlaygroundSearch } from "../playground/context-address.ts";
import { PROJECT_FIELDS, ProjectsPage } from "../projects/projects-page.tsx";
import { ALL_FLAG_FIELDS, AllFlagsPage } from "../flags/all-flags-page.tsx";
import { FLAG_FIELDS } from "../flags/filter-flags.ts";
import { FlagsPage } from "../flags/flags-page.tsx";
import { ARCHIVE_FIELDS, ArchivePage } from "../flags/archive-page.tsx";
import { FlagPage } from "../flag/flag-page.tsx";
import { ProjectSettingsPage } from "../projects/project-settings-page.tsx";
import { TransferPage } from "../transfer/transfer-page.tsx";
import { RESULT_FIELDS } from "../playground/playground-results.tsx";
import { PlaygroundPage } from "../playground/playground-page.tsx";
import { SEGMENT_FIELDS, SegmentsPage } from "../segments/segments-page.tsx";
import { CONTEXT_FIELD_FIELDS, ContextFieldsPage } from "../context-fields/context-fields-page.tsx";
import { EnvironmentsPage } from "../environments/environments-page.tsx";
import { TAG_FIELDS, TagsPage } from "../tags/tags-page.tsx";
import { SessionsPage } from "../sessions/sessions-page.tsx";
import { ProfilePage } from "../profile/profile-page.tsx";
import { USER_FIELDS, UsersPage } from "../users/users-page.tsx";
import { TOKEN_FIELDS, TokensPage } from "../tokens/tokens-page.tsx";
import { APPLICATION_FIELDS, ApplicationsPage } from "../applications/applications-page.tsx";
import { ApplicationPage } from "../applications/application-page.tsx";
import { EVENT_FIELDS } from "../events/event-filters.tsx";
import { EventsPage } from "../events/events-page.tsx";
import { NewUserPage, ResetPasswordPage } from "../session/choose-password-page.tsx";
import { openLink } from "../session/opened-link.ts";
import { isSignedOut, sessionQuery } from "../session/session.ts";
import { SetupPage } from "../session/setup-page.tsx";
import { SignInPage } from "../session/sign-in-page.tsx";
import { listSearch } from "../ui/list-search.ts";
import { CREATE_FIELDS } from "../ui/use-creating.ts";
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
  validateSearch: listSearch({ ...PROJECT_FIELDS, ...CREATE_FIELDS }),
  component: ProjectsPage,
});

const flags = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/flags",
  validateSearch: listSearch({ ...FLAG_FIELDS, ...CREATE_FIELDS }),
  component: FlagsPage,
});

const allFlags = createRoute({
  getParentRoute: () => shell,
  path: "/flags",
  validateSearch: listSearch(ALL_FLAG_FIELDS),
  component: AllFlagsPage,
});

const archive = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/archive",
  validateSearch: listSearch(ARCHIVE_FIELDS),
  component: ArchivePage,
});

function parseTab({ tab }: Readonly<Record<string, unknown>>): { readonly tab?: string } {
  return typeof tab === "string" ? { tab } : {};
}

const flag = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/flags/$flag",
  validateSearch: (search: Readonly<Record<string, unknown>>) => ({
    ...parseTab(search),
    ...parseContextSearch(search),
    ...listSearch(EVENT_FIELDS)(search),
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
  validateSearch: (search: Readonly<Record<string, unknown>>) => ({
    ...parsePlaygroundSearch(search),
    ...listSearch(RESULT_FIELDS)(search),
  }),
  component: PlaygroundPage,
});

const segments = createRoute({
  getParentRoute: () => shell,
  path: "/segments",
  validateSearch: listSearch({ ...SEGMENT_FIELDS, ...CREATE_FIELDS }),
  component: SegmentsPage,
});

const contextFields = createRoute({
  getParentRoute: () => shell,
  path: "/context-fields",
  validateSearch: listSearch({ ...CONTEXT_FIELD_FIELDS, ...CREATE_FIELDS }),
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
  validateSearch: listSearch(TAG_FIELDS),
  component: TagsPage,
});

const tokens = createRoute({
  getParentRoute: () => shell,
  path: "/tokens",
  validateSearch: listSearch({ ...TOKEN_FIELDS, ...CREATE_FIELDS }),
  component: TokensPage,
});

const users = createRoute({
  getParentRoute: () => shell,
  path: "/users",
  validateSearch: listSearch(USER_FIELDS),
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
  validateSearch: listSearch(APPLICATION_FIELDS),
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
  validateSearch: listSearch(EVENT_FIELDS),
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
    allFlags,
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
