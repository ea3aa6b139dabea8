/** A place that people can go to. */
export interface Place {
  readonly name: string;
  /** From the root of the server. What follows `#` is a page of the console. */
  readonly path: string;
}

export interface PlaceGroup {
  /** Its heading, if it has one. */
  readonly title?: string;
  readonly places: readonly Place[];
}

/** The navigation of every page: those of the console and those that the server makes. */
export const navigation: readonly PlaceGroup[] = [
  {
    places: [
      { name: 'Start', path: '/#/' },
      { name: 'Lessons', path: '/#/lessons' },
      { name: 'Traffic', path: '/#/traffic' },
    ],
  },
  {
    title: 'What you own',
    places: [
      { name: 'Policies', path: '/#/policies' },
      { name: 'Claims', path: '/#/claims' },
      { name: 'Events', path: '/#/events' },
      { name: 'Webhooks', path: '/#/webhooks' },
    ],
  },
  {
    title: 'To practise',
    places: [
      { name: 'Time and drills', path: '/#/time' },
      { name: 'Workbench', path: '/#/workbench' },
    ],
  },
  {
    title: 'To read',
    places: [
      { name: 'Guides', path: '/#/guides' },
      { name: 'Reference', path: '/docs' },
      { name: 'Problems', path: '/problems' },
    ],
  },
  { title: 'For trainers', places: [{ name: 'Trainer', path: '/#/trainer' }] },
];

const isOfConsole = ({ path }: Place) => path.startsWith('/#');

/** Where the console can't be shown: without the range, or without JavaScript. */
export const navigationWithoutConsole: readonly PlaceGroup[] = [
  { places: [{ name: 'Start', path: '/' }] },
  ...navigation
    .map((group) => ({ ...group, places: group.places.filter((place) => !isOfConsole(place)) }))
    .filter(({ places }) => places.length > 0),
];
