/** What the title of the window says besides the page: whether the user is to move. */

class Title {
  isOwnTurn = $state(false);
}

export const title = new Title();
