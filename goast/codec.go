package goast

import (
	"go/ast"
	"go/scanner"
	"go/token"

	"github.com/putget/putget/derive"
	"github.com/putget/putget/state"
	"github.com/putget/putget/symtab"
)

// The keys under which the codecs of this package keep state.
var (
	names = symtab.NewStrings("names", frequent...) // identifiers, literals, what else recurs

	// bodies are the function bodies of a document without objects, each a unit
	// that can be had alone.
	bodies = symtab.NewTable[ast.BlockStmt]("bodies", bodyCodec{})

	// strays are comment groups that a node names and no File.Comments holds.
	strays = symtab.NewTable[ast.CommentGroup]("strays", strayCodec{})

	position = state.NewLocal[derive.Last]("position")
	current  = state.NewLocal[fileState]("file")
	writing  = state.NewEnv[*writer]("goast.writer")
	reading  = state.NewEnv[*reader]("goast.reader")
)

// frequent is what recurs most in Go's standard library: it takes no space in a
// document, and has the ids of one byte. The list is part of the format.
var frequent = []string{
	"0", "nil", "err", "1", "i", "s", "uint64", "p", "x", "b", "c", "len", "r", "n", "t",
	"string", "byte", "int", "v", "error", "d", "f", "_", "bool", "m", "true", "false", "a",
	"2", "e", "typ", "uintptr", "buf", "ok", "name", "uint32", "unsafe", "Pointer", "8", "int64",
	"j", "\"\"", "append", "make", "fmt", "Errorf", "key", "value",
}

// The policies that all codecs of this package share: strings go to the
// dictionary, positions are differences, tokens have numbers of our own.
var basic = []derive.Policy{
	derive.Intern[string](names),
	derive.Delta[token.Pos](position),
	derive.Enum(tokens...),
	derive.Enum(ast.SEND, ast.RECV, ast.SEND|ast.RECV, 0),
}

// groupCodec codes one comment group, groupsCodec a file's list. Comments stay
// with their unit: most are unlike any other.
var (
	groupsCodec = derive.Must(derive.For[[]*ast.CommentGroup](comments()...))
	groupCodec  = derive.Must(derive.Part[ast.CommentGroup](groupsCodec))
)

func comments() []derive.Policy {
	return append(basic[:len(basic):len(basic)],
		derive.Own[ast.CommentGroup](),
		derive.Own[ast.Comment](),
		derive.Text[ast.Comment]("Text", position))
}

var errorsCodec = derive.Must(derive.For[scanner.ErrorList](derive.Intern[string](names), derive.Own[scanner.Error]()))

// treeCodec codes a file without its comments and objects. Function bodies are
// entries of a table. objectCodec keeps the objects, too; since they lead from
// anywhere to anywhere, its file is one unit.
var (
	treeCodec   = derive.Must(derive.For[ast.File](tree()...))
	blockCodec  = derive.Must(derive.Part[ast.BlockStmt](treeCodec))
	objectCodec = derive.Must(derive.For[ast.File](objects()...))
)

func tree() []derive.Policy {
	return append(nodes(),
		derive.Skip[ast.File]("Scope", "Unresolved"),
		derive.Own[ast.ImportSpec](),
		derive.UseField[ast.File]("Imports", "imports", importsField{}),
		derive.Skip[ast.Ident]("Obj"),
		derive.UseField[ast.FuncDecl]("Body", "body", bodyField{}))
}

func objects() []derive.Policy {
	return append(nodes(),
		// What objects and scopes lead to keeps its identity. The object of a
		// variable that a range clause defines leads to an assignment which the
		// parser makes for it, and that to what is ranged over: any expression.
		derive.Share[ast.Object](), derive.Share[ast.Scope](),
		derive.Share[ast.Field](), derive.Share[ast.ValueSpec](), derive.Share[ast.TypeSpec](),
		derive.Share[ast.FuncDecl](), derive.Share[ast.LabeledStmt](), derive.Share[ast.AssignStmt](),
		derive.Share[ast.Ident](), derive.Share[ast.Ellipsis](), derive.Share[ast.BasicLit](),
		derive.Share[ast.FuncLit](), derive.Share[ast.CompositeLit](), derive.Share[ast.ParenExpr](),
		derive.Share[ast.SelectorExpr](), derive.Share[ast.IndexExpr](), derive.Share[ast.IndexListExpr](),
		derive.Share[ast.SliceExpr](), derive.Share[ast.TypeAssertExpr](), derive.Share[ast.CallExpr](),
		derive.Share[ast.StarExpr](), derive.Share[ast.UnaryExpr](), derive.Share[ast.BinaryExpr](),
		derive.Share[ast.KeyValueExpr](), derive.Share[ast.ArrayType](), derive.Share[ast.StructType](),
		derive.Share[ast.FuncType](), derive.Share[ast.InterfaceType](), derive.Share[ast.MapType](),
		derive.Share[ast.ChanType](), derive.Share[ast.BadExpr](),
		derive.Enum(ast.Bad, ast.Pkg, ast.Con, ast.Typ, ast.Var, ast.Fun, ast.Lbl),
		derive.Union[any]((*ast.Ident)(nil), (*ast.ImportSpec)(nil), (*ast.Field)(nil),
			(*ast.ValueSpec)(nil), (*ast.TypeSpec)(nil), (*ast.FuncDecl)(nil), (*ast.LabeledStmt)(nil),
			(*ast.AssignStmt)(nil), (*ast.Scope)(nil), int(0)))
}

// nodes are the policies of the syntax nodes: each hangs in one place of its
// tree, but for the specs of imports, which File.Imports has again.
func nodes() []derive.Policy {
	return append(basic[:len(basic):len(basic)],
		derive.Skip[ast.File]("Comments"),
		derive.Use("comment", commentRef{}),
		derive.Sparse[ast.IfStmt](), derive.Sparse[ast.ValueSpec](), derive.Sparse[ast.GenDecl](),
		derive.Sparse[ast.CompositeLit](), derive.Sparse[ast.SliceExpr](), derive.Sparse[ast.TypeSpec](),
		derive.Sparse[ast.Field](), derive.Sparse[ast.ImportSpec](), derive.Sparse[ast.CallExpr](),

		derive.Own[ast.Ident](), derive.Own[ast.Ellipsis](), derive.Own[ast.BasicLit](),
		derive.Own[ast.FuncLit](), derive.Own[ast.CompositeLit](), derive.Own[ast.ParenExpr](),
		derive.Own[ast.SelectorExpr](), derive.Own[ast.IndexExpr](), derive.Own[ast.IndexListExpr](),
		derive.Own[ast.SliceExpr](), derive.Own[ast.TypeAssertExpr](), derive.Own[ast.CallExpr](),
		derive.Own[ast.StarExpr](), derive.Own[ast.UnaryExpr](), derive.Own[ast.BinaryExpr](),
		derive.Own[ast.KeyValueExpr](), derive.Own[ast.ArrayType](), derive.Own[ast.StructType](),
		derive.Own[ast.FuncType](), derive.Own[ast.InterfaceType](), derive.Own[ast.MapType](),
		derive.Own[ast.ChanType](), derive.Own[ast.BadExpr](), derive.Own[ast.Field](), derive.Own[ast.FieldList](),
		derive.Own[ast.BadStmt](), derive.Own[ast.DeclStmt](), derive.Own[ast.EmptyStmt](),
		derive.Own[ast.LabeledStmt](), derive.Own[ast.ExprStmt](), derive.Own[ast.SendStmt](),
		derive.Own[ast.IncDecStmt](), derive.Own[ast.AssignStmt](), derive.Own[ast.GoStmt](),
		derive.Own[ast.DeferStmt](), derive.Own[ast.ReturnStmt](), derive.Own[ast.BranchStmt](),
		derive.Own[ast.BlockStmt](), derive.Own[ast.IfStmt](), derive.Own[ast.CaseClause](),
		derive.Own[ast.SwitchStmt](), derive.Own[ast.TypeSwitchStmt](), derive.Own[ast.CommClause](),
		derive.Own[ast.SelectStmt](), derive.Own[ast.ForStmt](), derive.Own[ast.RangeStmt](),
		derive.Own[ast.ValueSpec](), derive.Own[ast.TypeSpec](),
		derive.Own[ast.BadDecl](), derive.Own[ast.GenDecl](), derive.Own[ast.FuncDecl](),

		derive.Union[ast.Expr](
			(*ast.Ident)(nil), (*ast.BasicLit)(nil), (*ast.SelectorExpr)(nil), (*ast.CallExpr)(nil),
			(*ast.BinaryExpr)(nil), (*ast.StarExpr)(nil), (*ast.UnaryExpr)(nil), (*ast.KeyValueExpr)(nil),
			(*ast.CompositeLit)(nil), (*ast.IndexExpr)(nil), (*ast.ArrayType)(nil), (*ast.ParenExpr)(nil),
			(*ast.SliceExpr)(nil), (*ast.FuncType)(nil), (*ast.StructType)(nil), (*ast.FuncLit)(nil),
			(*ast.TypeAssertExpr)(nil), (*ast.MapType)(nil), (*ast.Ellipsis)(nil), (*ast.InterfaceType)(nil),
			(*ast.ChanType)(nil), (*ast.IndexListExpr)(nil), (*ast.BadExpr)(nil)),
		derive.Union[ast.Stmt](
			(*ast.AssignStmt)(nil), (*ast.ExprStmt)(nil), (*ast.IfStmt)(nil), (*ast.ReturnStmt)(nil),
			(*ast.BlockStmt)(nil), (*ast.DeclStmt)(nil), (*ast.CaseClause)(nil), (*ast.ForStmt)(nil),
			(*ast.IncDecStmt)(nil), (*ast.RangeStmt)(nil), (*ast.BranchStmt)(nil), (*ast.SwitchStmt)(nil),
			(*ast.DeferStmt)(nil), (*ast.TypeSwitchStmt)(nil), (*ast.GoStmt)(nil), (*ast.CommClause)(nil),
			(*ast.LabeledStmt)(nil), (*ast.SelectStmt)(nil), (*ast.SendStmt)(nil), (*ast.EmptyStmt)(nil),
			(*ast.BadStmt)(nil)),
		derive.Union[ast.Spec]((*ast.ImportSpec)(nil), (*ast.ValueSpec)(nil), (*ast.TypeSpec)(nil)),
		derive.Union[ast.Decl]((*ast.GenDecl)(nil), (*ast.FuncDecl)(nil), (*ast.BadDecl)(nil)))
}

// tokens gives the tokens numbers that do not change with Go's: add at the end.
var tokens = []token.Token{
	token.ILLEGAL, token.INT, token.FLOAT, token.IMAG, token.CHAR, token.STRING, token.IDENT,
	token.EOF, token.COMMENT,
	token.DEFINE, token.ASSIGN, token.ADD, token.SUB, token.MUL, token.QUO, token.REM,
	token.AND, token.OR, token.XOR, token.SHL, token.SHR, token.AND_NOT,
	token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN, token.QUO_ASSIGN, token.REM_ASSIGN,
	token.AND_ASSIGN, token.OR_ASSIGN, token.XOR_ASSIGN, token.SHL_ASSIGN, token.SHR_ASSIGN, token.AND_NOT_ASSIGN,
	token.LAND, token.LOR, token.ARROW, token.INC, token.DEC,
	token.EQL, token.LSS, token.GTR, token.NOT, token.NEQ, token.LEQ, token.GEQ,
	token.ELLIPSIS, token.LPAREN, token.LBRACK, token.LBRACE, token.COMMA, token.PERIOD,
	token.RPAREN, token.RBRACK, token.RBRACE, token.SEMICOLON, token.COLON, token.TILDE,
	token.BREAK, token.CASE, token.CHAN, token.CONST, token.CONTINUE, token.DEFAULT, token.DEFER,
	token.ELSE, token.FALLTHROUGH, token.FOR, token.FUNC, token.GO, token.GOTO, token.IF,
	token.IMPORT, token.INTERFACE, token.MAP, token.PACKAGE, token.RANGE, token.RETURN,
	token.SELECT, token.STRUCT, token.SWITCH, token.TYPE, token.VAR,
}
