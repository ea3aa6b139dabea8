/** A call of every tool of the tutor: its arguments by its name, in an order in which each succeeds. `refused` and `accepted` are exchanges. */
export const tutorCalls = (refused: string, accepted: string): Record<string, Record<string, string | number>> => ({
  list_exchanges: { status: '4xx', path: '/insurer' },
  read_exchange: { id: refused },
  compare_exchanges: { one: refused, other: accepted },
  explain_problem: { type: 'https://lplate.example/problems/validation-error' },
  list_lessons: {},
  open_lesson: { lesson: 'token-by-form' },
  read_lesson: {},
  take_hint: { lesson: 'token-by-form' },
  list_drills: {},
  start_drill: { name: 'delay', minutes: 1 },
  end_drill: { name: 'delay' },
  read_clock: {},
  move_clock: { advance: 'PT1M' },
  list_guides: {},
  read_guide: { name: 'range' },
});
