%% Takes a message as `receive' does; one that does not come fails the case (btr_wait).
-define(AWAIT(Pattern, Result),
    receive
        Pattern -> Result
    after btr_wait:limit() -> btr_wait:missing(??Pattern)
    end
).
