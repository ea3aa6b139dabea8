/** What is said where a GET is meant, and a HEAD was sent. */
export const onlyHead = (whatIsRead: string) => `HEAD gives no body, so you did not see ${whatIsRead}. Send a GET.`;
