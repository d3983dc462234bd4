//! Which variables from outside a loop's or branch's body it assigns.

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprAssign, ExprBinary, ExprClosure, ExprForLoop, Local, Pat};

/// The variables that the blocks and expressions assign and do not declare themselves, in the order of their first
/// assignment.
pub(crate) fn assigned<'a>(blocks: impl IntoIterator<Item = &'a Block>, test: Option<&Expr>) -> Vec<Ident> {
    let mut collector = Collector::default();
    if let Some(test) = test {
        collector.visit_expr(test);
    }
    for block in blocks {
        collector.visit_block(block);
    }
    collector.found
}

/// The variables that an expression (an `else` arm) assigns.
pub(crate) fn assigned_in_expr(expr: &Expr) -> Vec<Ident> {
    let mut collector = Collector::default();
    collector.visit_expr(expr);
    collector.found
}

#[derive(Default)]
struct Collector {
    /// Variables declared inside, by scope.
    declared: Vec<Vec<Ident>>,
    found: Vec<Ident>,
}

impl Collector {
    fn assign(&mut self, target: &Expr) {
        match target {
            Expr::Path(path) => {
                let Some(name) = path.path.get_ident() else { return };
                let inside = self.declared.iter().flatten().any(|d| d == name);
                if !inside && !self.found.contains(name) {
                    self.found.push(name.clone());
                }
            }
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|e| self.assign(e)),
            Expr::Paren(paren) => self.assign(&paren.expr),
            _ => {}
        }
    }

    fn declare(&mut self, pattern: &Pat) {
        let mut names = Vec::new();
        pattern_names(pattern, &mut names);
        if let Some(scope) = self.declared.last_mut() {
            scope.extend(names.into_iter().map(|(name, _)| name));
        }
    }
}

/// The names that a pattern binds, and whether mutably.
pub(crate) fn pattern_names(pattern: &Pat, out: &mut Vec<(Ident, bool)>) {
    match pattern {
        Pat::Ident(ident) => out.push((ident.ident.clone(), ident.mutability.is_some())),
        Pat::Tuple(tuple) => tuple.elems.iter().for_each(|p| pattern_names(p, out)),
        Pat::Paren(paren) => pattern_names(&paren.pat, out),
        Pat::Type(typed) => pattern_names(&typed.pat, out),
        _ => {}
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_block(&mut self, block: &'ast Block) {
        self.declared.push(Vec::new());
        visit::visit_block(self, block);
        self.declared.pop();
    }

    fn visit_local(&mut self, local: &'ast Local) {
        // The value is outside of the new name's scope.
        visit::visit_local(self, local);
        self.declare(&local.pat);
    }

    fn visit_expr_for_loop(&mut self, looping: &'ast ExprForLoop) {
        self.visit_expr(&looping.expr);
        self.declared.push(Vec::new());
        self.declare(&looping.pat);
        self.visit_block(&looping.body);
        self.declared.pop();
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.declared.push(Vec::new());
        closure.inputs.iter().for_each(|pattern| self.declare(pattern));
        self.visit_expr(&closure.body);
        self.declared.pop();
    }

    fn visit_expr_assign(&mut self, assign: &'ast ExprAssign) {
        self.visit_expr(&assign.right);
        self.assign(&assign.left);
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        visit::visit_expr_binary(self, binary);
        if crate::statement::compound(&binary.op).is_some() {
            self.assign(&binary.left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(block: Block) -> Vec<String> {
        assigned([&block], None).into_iter().map(|i| i.to_string()).collect()
    }

    #[test]
    fn only_variables_from_outside() {
        let block = syn::parse_quote!({
            let mut inner = 0;
            inner = 1;
            outer += inner;
            for k in a..b {
                k = 1;
                (left, right) = (right, left);
            }
            if c {
                last = 0;
            }
        });
        assert_eq!(names(block), ["outer", "left", "right", "last"]);
    }

    #[test]
    fn a_shadow_starts_after_its_let() {
        let block = syn::parse_quote!({
            x = 1;
            let x = x;
            x = 2;
            {
                let y = 1;
                y = 2;
            }
            y = 3;
            let z = {
                z = 1;
                z
            };
        });
        assert_eq!(names(block), ["x", "y", "z"]);
    }
}
