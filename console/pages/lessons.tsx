import { Page } from '../parts/page.tsx';

export function Lessons() {
  return <Page title="Lessons">{null}</Page>;
}
