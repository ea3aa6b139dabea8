/** Days for which events are kept (Events, rule 3). */
export const retentionDays = 7;

/** The same in milliseconds. */
export const retention = retentionDays * 24 * 60 * 60 * 1000;
