/* Times as all pages show them: in the language and time zone of the reader, with 24 hours and the month by its name. */

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat(undefined, { hourCycle: 'h23', ...options });
  return (at: Date | number): string => formatter.format(at);
};

export const minuteText = format({ timeStyle: 'short' });
export const timeText = format({ timeStyle: 'medium' });
export const dateText = format({ dateStyle: 'medium' });
export const momentText = format({ dateStyle: 'medium', timeStyle: 'medium' });
