/** A link of the navigation. */
export interface NavigationLink {
  readonly name: string;
  /** From the root of the server. What follows `#` is a page of the console. */
  readonly path: string;
  /** The name of its icon (`console/style/icons.css`). */
  readonly icon: string;
}

export interface NavigationGroup {
  /** Its heading, if it has one. */
  readonly title?: string;
  readonly links: readonly NavigationLink[];
}

/** What all of it is, as the description of each page says. */
export const purpose = 'a synthetic motor insurer to practise API integration on';

/** The navigation of every page: those of the console and those that the server makes. On a phone the first group is in sight. */
export const navigation: readonly NavigationGroup[] = [
  {
    links: [
      { name: 'Start', path: '/#/', icon: 'start' },
      { name: 'Lessons', path: '/#/lessons', icon: 'lessons' },
      { name: 'Traffic', path: '/#/traffic', icon: 'traffic' },
      { name: 'Send', path: '/#/send', icon: 'send' },
    ],
  },
  {
    title: 'Yours',
    links: [
      { name: 'Policies', path: '/#/policies', icon: 'policies' },
      { name: 'Claims', path: '/#/claims', icon: 'claims' },
      { name: 'Events', path: '/#/events', icon: 'events' },
      { name: 'Webhooks', path: '/#/webhooks', icon: 'webhooks' },
      { name: 'People', path: '/#/people', icon: 'people' },
    ],
  },
  {
    title: 'Practise',
    links: [
      { name: 'Time and drills', path: '/#/time', icon: 'time' },
      { name: 'Workbench', path: '/#/workbench', icon: 'workbench' },
    ],
  },
  {
    title: 'Read',
    links: [
      { name: 'Guides', path: '/#/guides', icon: 'guides' },
      { name: 'Reference', path: '/docs', icon: 'reference' },
      { name: 'Problems', path: '/problems', icon: 'problems' },
      { name: 'Kits', path: '/kits', icon: 'kits' },
    ],
  },
  { title: 'Teach', links: [{ name: 'Trainer', path: '/#/trainer', icon: 'trainer' }] },
];

export const isOfConsole = ({ path }: NavigationLink) => path.startsWith('/#');

/** Whether it has pages of the console. */
export const leadsToConsole = (groups: readonly NavigationGroup[]) =>
  groups.some(({ links }) => links.some(isOfConsole));

/** Where the console can't be shown: without the range, or without JavaScript. */
export const navigationWithoutConsole: readonly NavigationGroup[] = [
  { links: [{ name: 'Start', path: '/', icon: 'start' }] },
  ...navigation
    .map((group) => ({ ...group, links: group.links.filter((link) => !isOfConsole(link)) }))
    .filter(({ links }) => links.length > 0),
];

/** A page of Markdown: the server has it at `/guides/NAME.md`, the console shows it at `/#/guides/NAME`. */
export interface Guide {
  readonly name: string;
  readonly group: 'Learn' | 'Teach' | 'Run';
  /** As its own first heading has it. */
  readonly title: string;
  /** In a sentence. */
  readonly about: string;
  /** From the root of the project. */
  readonly file: string;
  /** A name that it had: links to it still work. */
  readonly formerly?: string;
}

/** In the order in which one reads them. */
export const guides: readonly Guide[] = [
  {
    name: 'tutorial',
    group: 'Learn',
    title: 'Tutorial',
    about: 'Every stage of the interface once, with curl: from credentials to a stream of events.',
    file: 'docs/tutorial.md',
  },
  {
    name: 'lessons',
    group: 'Learn',
    title: 'Lessons',
    about: 'What your calls solve, how hints and answers work, capstones and the certificate.',
    file: 'docs/lessons.md',
  },
  {
    name: 'events',
    group: 'Learn',
    title: 'Events and webhooks',
    about: 'Follow claims by batches, a stream or webhooks, and lose nothing.',
    file: 'docs/events.md',
  },
  {
    name: 'sync',
    group: 'Learn',
    title: 'Keep two systems the same',
    about: 'Fetch what changed since the last run, and lose nothing: a watermark, its traps, and a program.',
    file: 'docs/sync.md',
  },
  {
    name: 'money',
    group: 'Learn',
    title: 'Money and files',
    about:
      'A monthly statement: amounts that are no floats, files that tell what they hold, and a download that goes on.',
    file: 'docs/money.md',
  },
  {
    name: 'files',
    group: 'Learn',
    title: 'Send and fetch files',
    about: 'Documents of a claim: forms, types told by bytes, and downloads that go on where they broke off.',
    file: 'docs/files.md',
  },
  {
    name: 'vehicle-registry',
    group: 'Learn',
    title: 'The vehicle registry',
    about: 'A legacy SOAP service, the way to its REST successor, and plates to try.',
    file: 'docs/vehicle-registry.md',
  },
  {
    name: 'people',
    group: 'Learn',
    title: 'People who let an app in',
    about: 'Sign-in, consent and refresh tokens: OAuth 2.0 for people, with PKCE, and what goes wrong.',
    file: 'docs/people.md',
  },
  {
    name: 'versions',
    group: 'Learn',
    title: 'How interfaces change',
    about: 'Additions, deprecation and the end of a version; and an exercise on a draft that was never built.',
    file: 'docs/versions.md',
    formerly: 'v0-draft',
  },
  {
    name: 'range',
    group: 'Learn',
    title: 'The range',
    about: 'Your own calls and their answers, drills, and a clock that you move.',
    file: 'docs/range.md',
  },
  {
    name: 'assistants',
    group: 'Learn',
    title: 'A tutor for assistants',
    about: 'An assistant in your editor reads your calls and explains them, by MCP: how to set it up.',
    file: 'docs/assistants.md',
  },
  {
    name: 'badges',
    group: 'Learn',
    title: 'Badges',
    about: 'The certificate as a picture that others check without this service: what that proves, and what not.',
    file: 'docs/badges.md',
  },
  {
    name: 'build-your-own',
    group: 'Learn',
    title: 'Build your own insurer',
    about: 'The other side: a service of yours, which L-Plate examines stage by stage.',
    file: 'docs/build-your-own.md',
  },
  {
    name: 'clients',
    group: 'Learn',
    title: 'Clients and tools',
    about: 'Which generators, tools and libraries were tried, and what to set.',
    file: 'docs/clients.md',
  },
  {
    name: 'compared',
    group: 'Learn',
    title: 'What else there is',
    about: 'Other tools beside L-Plate, what each does better, and what L-Plate is not.',
    file: 'docs/compared.md',
  },
  {
    name: 'class',
    group: 'Teach',
    title: 'A class with L-Plate',
    about: 'For trainers: one command for a room, what to prepare, and what to do when.',
    file: 'docs/class.md',
  },
  {
    name: 'privacy',
    group: 'Teach',
    title: 'Privacy',
    about: 'What is kept of a learner, who sees it, how long, and how to export and erase it.',
    file: 'docs/privacy.md',
  },
  {
    name: 'package',
    group: 'Run',
    title: 'The npm package',
    about: 'Start it from your own tests, in JavaScript or TypeScript, and move its clock.',
    file: 'docs/package.md',
  },
  {
    name: 'testing',
    group: 'Run',
    title: 'Use L-Plate in your tests',
    about: 'Start it from tests, reset it between them, and get the same bytes in each run.',
    file: 'docs/testing.md',
  },
  {
    name: 'settings',
    group: 'Run',
    title: 'Settings',
    about: 'Every flag and variable with its default, and the secrets.',
    file: 'docs/settings.md',
  },
  {
    name: 'operations',
    group: 'Run',
    title: 'Operating L-Plate',
    about: 'For those who run it for others: sizing, backup, upgrades and failures.',
    file: 'docs/operations.md',
  },
];
