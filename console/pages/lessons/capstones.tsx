import { Page } from '../../parts/page.tsx';
import { route } from '../../state/route.ts';
import { CapstonePage } from './capstone.tsx';
import { CapstoneCards } from './capstone-cards.tsx';
import { isSomebody } from './my-lessons.ts';
import { NoClient } from './path.tsx';

export default function Capstones() {
  const [, id = ''] = route.value.rest;
  return id === '' ? <All /> : <CapstonePage key={id} id={id} />;
}

function All() {
  return (
    <Page
      title="Capstones"
      about="A capstone takes several lessons at once, for two or three minutes. Your program works under hard conditions, and a score says what it got right. You can repeat each as often as you like."
      actions={<a href="#/lessons">All lessons</a>}
    >
      {!isSomebody() && <NoClient />}
      <CapstoneCards />
    </Page>
  );
}
