/** Icons on a grid of 20 with lines of 1.6, so that they fit next to text of any size. */
const PATHS = {
  tonight: 'M3 14.5 7.5 9l3 3.5L17 5M12.5 5H17v4.5',
  donations: 'M10 17s-6.5-3.9-6.5-8.6A3.7 3.7 0 0 1 10 6a3.7 3.7 0 0 1 6.5 2.4C16.5 13.1 10 17 10 17Z',
  review: 'M10 3.5 17.5 16h-15L10 3.5ZM10 8.5v3.2M10 13.8v.1',
  events: 'M3.5 5.5h13v11h-13zM3.5 9h13M7 3.5v3.5M13 3.5v3.5',
  team: 'M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 16.5c0-3 2.2-4.7 5-4.7s5 1.7 5 4.7M13 4a2.7 2.7 0 0 1 0 5.2M14.5 12c1.9.5 3 2 3 4.5',
  terminals: 'M5.5 2.5h9v15h-9zM8 5.5h4M8 14h.1M10 14h.1M12 14h.1M8 11h.1M10 11h.1M12 11h.1',
  donors: 'M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM3.5 17c0-3.3 2.9-5 6.5-5s6.5 1.7 6.5 5',
  guests: 'M4 3.5h12v13H4zM7 7.5h.1M7 10.5h.1M7 13.5h.1M9.5 7.5h4M9.5 10.5h4M9.5 13.5h4',
  closing: 'M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5M7.5 10h5M7.5 13h5',
  settings: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  users: 'M10 2.8 16.5 5v4.6c0 3.8-2.7 6.3-6.5 7.6-3.8-1.3-6.5-3.8-6.5-7.6V5L10 2.8ZM7.4 9.8l1.9 1.9 3.4-3.6',
  audit: 'M10 17a7 7 0 1 0-7-7M3 5.5V10h4.5M10 6.5V10l2.5 1.5',
  emails: 'M3 5h14v10.5H3zM3 5.5l7 5.5 7-5.5',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM13 13l4 4',
  menu: 'M3 6h14M3 10h14M3 14h14',
  close: 'M5 5l10 10M15 5 5 15',
  more: 'M4.5 10h.1M10 10h.1M15.5 10h.1',
  down: 'm5.5 8 4.5 4.5L14.5 8',
  right: 'M8 5.5 12.5 10 8 14.5',
  left: 'M12 5.5 7.5 10l4.5 4.5',
  plus: 'M10 4v12M4 10h12',
  check: 'm4.5 10.5 3.5 3.5 7.5-8',
  out: 'M11 4h5v5M16 4l-7 7M13.5 11.5V16H4V6.5h4.5',
  download: 'M10 3.5v9M6 9l4 4 4-4M4 16.5h12',
  sum: 'M14.5 5.5V4h-9l5 6-5 6h9v-1.5',
  print: 'M6 7.5v-4h8v4M6 14H3.5V7.5h13V14H14M6 11.5h8v5H6z',
  sun: 'M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM10 2.5v1.7M10 15.8v1.7M2.5 10h1.7M15.8 10h1.7M4.7 4.7l1.2 1.2M14.1 14.1l1.2 1.2M4.7 15.3l1.2-1.2M14.1 5.9l1.2-1.2',
  key: 'M12.5 11.5a4 4 0 1 0-3.6-2.3L3.5 14.6v2h2.6v-2h2v-2l1.9-1.8c.7.5 1.6.7 2.5.7ZM13.3 6.8h.1',
  wall: 'M2.5 4h15v10h-15zM7 17h6M10 14v3',
  calendar: 'M3.5 5.5h13v11h-13zM3.5 9h13M7 3.5v3.5M13 3.5v3.5',
  leave: 'M12 6V3.5H4v13h8V14M8 10h9M14 7l3 3-3 3',
  bell: 'M5 13.5V9a5 5 0 0 1 10 0v4.5l1.2 1.5H3.8L5 13.5ZM8.5 17.2h3',
  match: 'M7.5 13a5 5 0 1 1 5-5M12.5 7a5 5 0 1 1-5 5M8 10h4M10 8v4',
  milestones: 'M5 17.5v-14M5 4h10.5l-2.5 3 2.5 3H5',
  teams: 'M2.5 16.5h15M4 16.5v-5h3.5M7.5 16.5v-11h5v11M12.5 8.5H16v8',
  image: 'M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4M13 7.5h.1',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    class="icon"
    viewBox="0 0 20 20"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    stroke-width="1.6"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
);
